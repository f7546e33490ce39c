// Opens the application's device, and serves it as a run worker does: its calls go one after the
// other from thread to thread.

#include "tuner/library/deferred_device.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/stopwatch.h"
#include "tuner/bench/devices.h"
#include "tuner/worker/child.h"

namespace libtuner {

namespace {

// Who has done something waits so long for what comes next: mostly it takes microseconds, and a few
// milliseconds when a trial is committed in between.
constexpr double kPatienceMs = 2;

}  // namespace

bool CallQueue::call(const std::function<void()>& body, double expected_ms) {
  std::unique_lock lock(mutex_);
  if (!is_open_) return false;
  body_ = &body;
  expected_ms_ = expected_ms;
  state_ = State::kWaiting;
  changed_.notify_all();
  changed_.wait(
      lock, [this] { return state_ == State::kDone || (!is_open_ && state_ == State::kWaiting); });
  const bool done = state_ == State::kDone;
  state_ = State::kNone;
  return done;
}

CallQueue::Next CallQueue::do_next(double most_ms) {
  std::unique_lock lock(mutex_);
  if (!is_open_ || state_ != State::kWaiting) return Next::kNone;
  if (expected_ms_ > most_ms) return Next::kTooLong;
  state_ = State::kRunning;
  const std::function<void()>& body = *body_;
  lock.unlock();
  body();
  lock.lock();
  state_ = State::kDone;
  changed_.notify_all();
  return Next::kDone;
}

bool CallQueue::wait_for_call(double ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double, std::milli>(ms),
                           [this] { return is_open_ && state_ == State::kWaiting; });
}

bool CallQueue::work_until(double end, const std::function<double()>& now_ms) {
  bool any = false;
  for (double left = end - now_ms(); left > 0; left = end - now_ms()) {
    const Next next = do_next(any ? left : std::numeric_limits<double>::infinity());
    if (next == Next::kTooLong) break;
    any = any || next == Next::kDone;
    if (next == Next::kNone && !(any && wait_for_call(std::min(left, kPatienceMs)))) break;
  }
  return any;
}

void CallQueue::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
}

void CallQueue::close() {
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  changed_.notify_all();
}

namespace {

using tuner::BufferId;
using tuner::BufferRange;
using tuner::Comparison;
using tuner::DeviceFailure;
using tuner::DeviceResult;
using tuner::KernelId;
using tuner::LaunchSequence;
using tuner::Ok;

// Has operations done, one after the other.
class Operations {
 public:
  Operations(SharedDevice& device, CallQueue& calls) : device_(device), calls_(calls) {}

  // Has an operation done when the application has time for it, and returns its result; a lost
  // device when the application has closed the tuning.
  template <typename T, typename Operation>
  DeviceResult<T> wait_for(Operation&& operation, double* usual_ms = nullptr) {
    DeviceResult<T> result = tuner::Unexpected{
        DeviceFailure{tuner::DeviceError::kDeviceLost, "the application has closed the tuning"}};
    const std::function<void()> body = [&] {
      const std::lock_guard lock(device_.mutex);
      const double begin = tuner::steady_ms();
      result = operation(*device_.backend);
      if (usual_ms != nullptr) *usual_ms = tuner::steady_ms() - begin;
    };
    calls_.call(body, usual_ms == nullptr ? 0 : *usual_ms);
    return result;
  }

  // Does an operation at once, without waiting for the application. Memory and kernels are given
  // back this way: an evaluation may end after its application.
  template <typename Operation>
  void at_once(Operation&& operation) {
    const std::lock_guard lock(device_.mutex);
    operation(*device_.backend);
  }

  SharedDevice& device() { return device_; }

 private:
  SharedDevice& device_;
  CallQueue& calls_;
};

class DeferredMemory final : public tuner::DeviceMemory {
 public:
  explicit DeferredMemory(Operations& operations) : operations_(operations) {}

  DeviceResult<BufferId> allocate(std::uint64_t bytes) override {
    return on_memory<BufferId>([&](DeviceMemory& it) { return it.allocate(bytes); });
  }
  void release(BufferId buffer) override {
    operations_.at_once([&](tuner::Backend& it) { it.memory().release(buffer); });
  }
  DeviceResult<Ok> upload(BufferRange to, std::span<const std::byte> bytes) override {
    return on_memory<Ok>([&](DeviceMemory& it) { return it.upload(to, bytes); });
  }
  DeviceResult<Ok> download(BufferRange from, std::span<std::byte> bytes) override {
    return on_memory<Ok>([&](DeviceMemory& it) { return it.download(from, bytes); });
  }
  DeviceResult<Ok> fill(BufferRange to, std::uint64_t elements, const tuner::Fill& how) override {
    return on_memory<Ok>([&](DeviceMemory& it) { return it.fill(to, elements, how); });
  }
  DeviceResult<Ok> copy(BufferRange to, BufferRange from, std::uint64_t bytes) override {
    return on_memory<Ok>([&](DeviceMemory& it) { return it.copy(to, from, bytes); });
  }
  DeviceResult<Comparison> compare(BufferRange actual, BufferRange expected, tuner::DataType type,
                                   std::uint64_t elements, double rtol, double atol) override {
    return on_memory<Comparison>(
        [&](DeviceMemory& it) { return it.compare(actual, expected, type, elements, rtol, atol); });
  }
  DeviceResult<std::uint64_t> address(BufferRange of) override {
    return on_memory<std::uint64_t>([&](DeviceMemory& it) { return it.address(of); });
  }

 private:
  template <typename T, typename Operation>
  DeviceResult<T> on_memory(Operation&& operation) {
    return operations_.wait_for<T>([&](tuner::Backend& it) { return operation(it.memory()); });
  }

  Operations& operations_;
};

// Each operation is short: one launch, one sample, one copy, one loading.
class DeferredBackend final : public tuner::Backend {
 public:
  DeferredBackend(SharedDevice& device, CallQueue& calls)
      : operations_(device, calls), memory_(operations_) {}

  const tuner::DeviceFacts& facts() override { return operations_.device().backend->facts(); }
  tuner::DeviceMemory& memory() override { return memory_; }

  DeviceResult<tuner::LoadedKernel> load(const tuner::Artifact& artifact) override {
    return operations_.wait_for<tuner::LoadedKernel>(
        [&](Backend& it) { return it.load(artifact); });
  }
  void unload(KernelId kernel) override {
    usual_launch_ms_.erase(kernel);
    usual_sample_ms_.erase(kernel);
    operations_.at_once([&](Backend& it) { it.unload(kernel); });
  }
  DeviceResult<Ok> set_symbol(KernelId kernel, const std::string& lowered_name,
                              std::span<const std::byte> bytes) override {
    return operations_.wait_for<Ok>(
        [&](Backend& it) { return it.set_symbol(kernel, lowered_name, bytes); });
  }
  DeviceResult<Ok> launch(const LaunchSequence& sequence) override {
    return operations_.wait_for<Ok>([&](Backend& it) { return it.launch(sequence); },
                                    &usual_launch_ms_[sequence.front().kernel]);
  }
  DeviceResult<Ok> launch_shuffled(const LaunchSequence& sequence, std::uint64_t seed) override {
    return operations_.wait_for<Ok>([&](Backend& it) { return it.launch_shuffled(sequence, seed); },
                                    &usual_launch_ms_[sequence.front().kernel]);
  }
  // Sample by sample.
  DeviceResult<std::vector<double>> time(const LaunchSequence& sequence,
                                         const tuner::TimingRequest& request) override {
    tuner::TimingRequest one = request;
    one.samples = 1;
    std::vector<double> samples;
    for (std::uint32_t i = 0; i < request.samples; ++i) {
      auto sample = operations_.wait_for<std::vector<double>>(
          [&](Backend& it) { return it.time(sequence, one); },
          &usual_sample_ms_[sequence.front().kernel]);
      if (!sample) return sample;
      samples.insert(samples.end(), sample->begin(), sample->end());
    }
    return samples;
  }
  tuner::Conditions conditions() override {
    tuner::Conditions now;
    operations_.at_once([&](Backend& it) { now = it.conditions(); });
    return now;
  }
  DeviceResult<Ok> set_limits(const tuner::KernelLimits& limits) override {
    return operations_.wait_for<Ok>([&](Backend& it) { return it.set_limits(limits); });
  }
  std::string remark() override {
    const auto text = operations_.wait_for<std::string>(
        [](Backend& it) -> DeviceResult<std::string> { return it.remark(); });
    return text ? *text : std::string();
  }
  DeviceResult<double> power(const LaunchSequence&) override {
    return tuner::Unexpected{DeviceFailure{
        tuner::DeviceError::kUnsupported,
        "power is measured for a second: that is too long for the idle time of an application"}};
  }

 private:
  Operations operations_;
  DeferredMemory memory_;
  std::map<KernelId, double> usual_launch_ms_;
  std::map<KernelId, double> usual_sample_ms_;
};

}  // namespace

std::unique_ptr<tuner::Backend> open_device(const tuner::Catalogue& catalogue,
                                            tuner::Settings& settings) {
  tuner::BackendSpec& backend = settings.study.backend;
  std::vector<std::string> names;
  try {
    names = tuner::backends_for(settings.study, catalogue);
  } catch (const tuner::UnavailableError& error) {
    throw Error(error.what());
  }
  std::string reasons;
  for (const std::string& name : names) {
    catalogue.check_options(tuner::PluginKind::kBackend, name, backend.options);
    auto opened = catalogue.open_backend(name, settings.devices.front(), backend.options);
    if (opened) {
      backend.name = name;
      return std::move(*opened);
    }
    if (opened.error().error == tuner::DeviceError::kDeviceLost) {
      throw Error("backend '" + name + "': " + opened.error().message);
    }
    reasons += (reasons.empty() ? "" : "; ") + name + ": " + opened.error().message;
  }
  throw Error("no backend works: " + (reasons.empty() ? "none is installed" : reasons));
}

DeviceThread::DeviceThread(SharedDevice& device, CallQueue& calls,
                           const tuner::Catalogue& catalogue)
    : calls_(calls) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw tuner::FatalError(std::string("no socket pair: ") + std::strerror(errno));
  }
  socket_.reset(ends[0]);
  calls_.open();
  thread_ = std::thread([this, &device, &catalogue, theirs = ends[1]] {
    const tuner::FileDescriptor closes(theirs);
    try {
      tuner::serve_device(theirs, catalogue, std::make_unique<DeferredBackend>(device, calls_));
    } catch (const std::exception& error) {
      last_words_ = error.what();
    }
  });
}

DeviceThread::~DeviceThread() {
  kill();
  wait();
}

pid_t DeviceThread::pid() const { return ::getpid(); }

void DeviceThread::kill() {
  calls_.close();
  ::shutdown(socket_.get(), SHUT_RDWR);
}

std::string DeviceThread::wait() {
  if (thread_.joinable()) thread_.join();
  return last_words_.empty() ? "ended" : "ended: " + last_words_;
}

}  // namespace libtuner
