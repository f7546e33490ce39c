// Passes questions on to a compile pool, and its answers to those who have asked.

#include "tuner/worker/shared_compilers.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tuner {
namespace {

FileDescriptor new_bell() { return FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

void ring(const FileDescriptor& bell) {
  const std::uint64_t one = 1;
  if (::write(bell.get(), &one, sizeof one) < 0) return;  // it rings already
}

void silence(const FileDescriptor& bell) {
  std::uint64_t rung = 0;
  if (::read(bell.get(), &rung, sizeof rung) < 0) return;  // it did not ring
}

}  // namespace

class SharedCompilers::Share final : public Compilers {
 public:
  Share(SharedCompilers& all, std::size_t shares)
      : all_(all), shares_(static_cast<unsigned>(shares)), identity_(all.pool_.identity()) {}

  const std::string& identity() override { return identity_; }

  std::uint64_t submit(const std::string& key, CompileRequest request) override {
    const std::lock_guard lock(all_.mutex_);
    const std::uint64_t id = all_.pool_.submit(key, std::move(request));
    all_.askers_.emplace(id, this);
    ring(all_.wake_);  // there may be another worker to listen to
    return id;
  }
  bool is_under_way(const std::string& key) const override {
    const std::lock_guard lock(all_.mutex_);
    return all_.pool_.is_under_way(key);
  }
  // Workers are ended by the thread that listens to them.
  void cancel(const std::vector<std::uint64_t>& ids) override {
    const std::lock_guard lock(all_.mutex_);
    for (const std::uint64_t id : ids) all_.askers_.erase(id);
    all_.cancelled_.insert(all_.cancelled_.end(), ids.begin(), ids.end());
    std::erase_if(answers_, [&](const CompileResult& answer) {
      return std::ranges::find(ids, answer.id) != ids.end();
    });
    ring(all_.wake_);
  }
  std::optional<double> seconds_at_work(const std::string& key) const override {
    const std::lock_guard lock(all_.mutex_);
    return all_.pool_.seconds_at_work(key);
  }

  void watch(PollSet& awaited) const override {
    awaited.sockets.push_back({bell_.get(), POLLIN, 0});
  }
  std::vector<CompileResult> handle() override {
    const std::lock_guard lock(all_.mutex_);
    if (all_.failure_) std::rethrow_exception(all_.failure_);
    silence(bell_);
    return std::exchange(answers_, {});
  }

  unsigned jobs() const override {
    const std::lock_guard lock(all_.mutex_);
    return mine(all_.pool_.jobs());
  }
  double busy_seconds() const override {
    const std::lock_guard lock(all_.mutex_);
    const unsigned jobs = std::max(1U, all_.pool_.jobs());
    return all_.pool_.busy_seconds() * mine(jobs) / jobs;
  }
  Load load() const override {
    const std::lock_guard lock(all_.mutex_);
    return all_.pool_.load();
  }

  // Under the lock.
  void take(CompileResult answer) {
    answers_.push_back(std::move(answer));
    ring_bell();
  }
  void ring_bell() const { ring(bell_); }

 private:
  unsigned mine(unsigned jobs) const { return std::max(1U, (jobs + shares_ - 1) / shares_); }

  SharedCompilers& all_;
  unsigned shares_;
  std::string identity_;
  FileDescriptor bell_ = new_bell();
  std::vector<CompileResult> answers_;
};

SharedCompilers::SharedCompilers(CompilePool& pool, std::size_t shares)
    : pool_(pool), wake_(new_bell()) {
  for (std::size_t i = 0; i < shares; ++i) shares_.emplace_back(*this, shares);
}

// Cancels outstanding requests: nobody is there to take their answers.
SharedCompilers::~SharedCompilers() {
  for (const auto& [id, share] : askers_) cancelled_.push_back(id);
  pool_.cancel(cancelled_);
}

Compilers& SharedCompilers::share(std::size_t number) { return shares_.at(number); }

void SharedCompilers::hand_out(std::vector<CompileResult> results) {
  for (CompileResult& result : results) {
    const auto asker = askers_.extract(result.id);
    if (asker) asker.mapped()->take(std::move(result));
  }
}

void SharedCompilers::serve() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    try {
      pool_.cancel(std::exchange(cancelled_, {}));
      hand_out(pool_.handle());
    } catch (const std::exception&) {
      failure_ = std::current_exception();
      for (const Share& share : shares_) share.ring_bell();
      return;
    }
    PollSet awaited;
    awaited.sockets.push_back({wake_.get(), POLLIN, 0});
    pool_.watch(awaited);
    lock.unlock();
    awaited.wait();
    lock.lock();
    silence(wake_);
  }
}

void SharedCompilers::stop() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  ring(wake_);
}

}  // namespace tuner
