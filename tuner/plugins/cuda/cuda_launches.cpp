// Launches and times kernels on an NVIDIA device as a backend.

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "tuner/plugins/cuda/cuda_backend.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

void CudaBackend::bind_arguments(const Kernel& kernel, const tuner_launch& launch,
                                 Bound& bound) const {
  kernel.function->check_count(launch.argument_count);
  // Sized first, because the addresses of their elements are handed out.
  bound.pointers.resize(launch.argument_count);
  bound.maps.resize(sdk::maps_of(launch).size());
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < launch.argument_count; ++i) {
    const tuner_argument& argument = launch.arguments[i];
    if (argument.is_buffer != 0) {
      bound.pointers[i] = address(argument.buffer, 0);
      bound.arguments.push_back(&bound.pointers[i]);
      sizes.push_back(sizeof(CUdeviceptr));
    } else {
      bound.arguments.push_back(const_cast<void*>(argument.scalar));
      sizes.push_back(argument.scalar_size);
    }
  }
  for (const tuner_zeros& zeros : sdk::zeros_of(launch)) {
    bound.zeros.emplace_back(address(zeros.at, zeros.bytes), zeros.bytes);
  }
  for (const tuner_range& held : std::span(launch.arrays, launch.array_count)) {
    const auto arrays = textures_.arrays(held.buffer, address(held, 0));
    bound.arrays.insert(bound.arrays.end(), arrays.begin(), arrays.end());
  }
  for (std::size_t i = 0; i < bound.maps.size(); ++i) {
    const tuner_tensor_map& map = sdk::maps_of(launch)[i];
    if (map.argument >= launch.argument_count) {
      throw sdk::Error(TUNER_INVALID, "a tensor map for an argument that is not there");
    }
    bound.maps[i] = encode(api_, facts_, map, bound.pointers[map.argument]);
    bound.arguments[map.argument] = &bound.maps[i];
    sizes[map.argument] = sizeof(CUtensorMap);
  }
  kernel.function->check_sizes(sizes);
}

// Nothing is launched before all that follows could be, too.
std::vector<CudaBackend::Step> CudaBackend::prepare(std::uint64_t id, const tuner_launch& launch) {
  const std::vector<sdk::Step> chain = sdk::steps_of(id, launch);
  std::vector<Step> steps(chain.size());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    steps[i].kernel = &kernel(chain[i].kernel);
    steps[i].launch = chain[i].launch;
    try {
      steps[i].kernel->function->prepare(*steps[i].launch, facts_);
      bind_arguments(*steps[i].kernel, *steps[i].launch, steps[i].bound);
    } catch (const sdk::Error& error) {
      if (i == 0) throw;
      throw sdk::Error(error.status(), "launch " + std::to_string(i + 1) + ": " + error.what());
    }
  }
  refuse_two_carveouts(steps);
  return steps;
}

// It is the kernel's in the driver, so that the last one would hold for all.
void CudaBackend::refuse_two_carveouts(const std::vector<Step>& steps) {
  const auto carveout = [](const Step& step) {
    const tuner_launch_attributes* asked = step.launch->attributes;
    return asked != nullptr ? asked->carveout : -1;
  };
  for (const Step& one : steps) {
    for (const Step& other : steps) {
      if (one.kernel != other.kernel || carveout(one) == carveout(other)) continue;
      throw sdk::Error(TUNER_LAUNCH_REFUSED,
                       "launches of the same kernel cannot have different carveouts");
    }
  }
}

void CudaBackend::queue(std::vector<Step>& steps) const {
  for (Step& step : steps) {
    for (const auto& [data, bytes] : step.bound.zeros) {
      check(api_, api_.memset_d8_async(data, 0, bytes, opened_->stream.get()), "cuMemsetD8Async");
    }
    step.kernel->function->launch(*step.launch, opened_->stream.get(), step.bound.arguments.data());
  }
}

// Each once: what one has given back must not be filled again.
std::vector<const Array*> CudaBackend::arrays_of(const Turns& turns) {
  std::set<const Array*> all;
  for (const auto& steps : turns) {
    for (const Step& step : steps) all.insert(step.bound.arrays.begin(), step.bound.arrays.end());
  }
  return {all.begin(), all.end()};
}

void CudaBackend::fill(const std::vector<const Array*>& arrays) const {
  for (const Array* one : arrays) one->fill(opened_->stream.get());
}

void CudaBackend::give_back(const std::vector<const Array*>& arrays) const {
  for (const Array* one : arrays) one->give_back(opened_->stream.get());
  if (!arrays.empty()) wait("cuMemcpy3DAsync");
}

// Throws if a function of the host has put work elsewhere than into its stream: it would be neither
// timed nor waited for. When the stream has ended, nothing else runs on this context.
void CudaBackend::refuse_stray_work(const Step& step) const {
  constexpr std::chrono::microseconds kIdle{50};
  if (!step.kernel->function->is_of_host()) return;
  const auto begin = std::chrono::steady_clock::now();
  check(api_, api_.ctx_synchronize(), "cuCtxSynchronize", Phase::kWait);
  if (std::chrono::steady_clock::now() - begin < kIdle) return;
  throw sdk::Error(TUNER_LAUNCH_REFUSED,
                   "the launcher works elsewhere than in its stream, where nobody times it");
}

void CudaBackend::launch(std::uint64_t id, const tuner_launch& launch) {
  opened();
  Turns turns;
  turns.push_back(prepare(id, launch));
  std::vector<Step>& steps = turns.front();
  const auto arrays = arrays_of(turns);
  fill(arrays);
  queue(steps);
  wait("kernel", true);
  refuse_stray_work(steps.front());
  give_back(arrays);
  for (const Step& step : steps) step.kernel->launched = true;
}

CudaBackend::Turns CudaBackend::prepare(std::uint64_t id, const tuner_launch& launch,
                                        const tuner_timing& timing) {
  for (const tuner_restore& one : sdk::restores_of(timing)) {
    address({one.to, 0}, one.bytes);
    address({one.from, 0}, one.bytes);
  }
  for (const tuner_byte_fill& one : sdk::fills_of(timing)) address(one.at, one.bytes);
  Turns turns;
  for (const tuner_launch* one : sdk::turns_of(launch, timing)) turns.push_back(prepare(id, *one));
  return turns;
}

namespace {

// The operations that a function of the host is taken to put into the stream: their number is
// unknown, and few samples at a time are enough.
constexpr std::size_t kLaunchesOfFunction = 16;

template <typename Steps>
std::size_t operations_of(const Steps& steps) {
  std::size_t operations = steps.size();
  for (const auto& step : steps) operations += step.bound.zeros.size();
  return operations;
}

template <typename Steps>
bool have_run(const Steps& steps) {
  return std::all_of(steps.begin(), steps.end(),
                     [](const auto& one) { return one.kernel->launched; });
}

}  // namespace

void CudaBackend::time(std::uint64_t id, const tuner_launch& launch, const tuner_timing& timing,
                       std::span<double> milliseconds) {
  opened();
  Turns turns = prepare(id, launch, timing);
  const auto arrays = arrays_of(turns);
  Work work{[&](std::size_t number) { queue(turns[number % turns.size()]); },
            operations_of(turns.front()) + 2 * arrays.size(), have_run(turns.front()), false};
  if (!arrays.empty()) work.before = [&] { fill(arrays); };
  Kernel& first = *turns.front().front().kernel;
  if (first.function->is_of_host()) {
    work.operations = kLaunchesOfFunction;
    work.may_wait = true;
    work.launched = work.launched && !first.waits;
  }
  if (!opened_->timer.time(timing, work, milliseconds)) first.waits = true;
  refuse_stray_work(turns.front().front());
  give_back(arrays);
  for (const Step& step : turns.front()) step.kernel->launched = true;
}

// Launches all steps once, as before a sample, but without timing them. Kernels are loaded when
// they are first launched, which cannot be captured.
void CudaBackend::launch_once(std::vector<Step>& steps, const tuner_timing& timing,
                              const std::vector<const Array*>& arrays) {
  opened_->timer.queue_restores(timing);
  fill(arrays);
  queue(steps);
  wait("kernel", true);
  for (const Step& step : steps) step.kernel->launched = true;
}

// One graph holds the launches of a sample. There are several where samples begin at different
// turns.
void CudaBackend::time_graph(std::uint64_t id, const tuner_launch& launch,
                             const tuner_timing& timing, std::span<double> milliseconds) {
  opened();
  Turns turns = prepare(id, launch, timing);
  const auto arrays = arrays_of(turns);
  if (!have_run(turns.front())) launch_once(turns.front(), timing, arrays);
  const std::size_t launches = std::max(1U, timing.launches_per_sample);
  // Relaxed: a kernel may be loaded now, which strict captures forbid. A function of the host has
  // run, and what a graph cannot hold, such as memory that it frees, is an error at its call.
  const auto mode = turns.front().front().kernel->function->is_of_host()
                        ? CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
                        : CU_STREAM_CAPTURE_MODE_RELAXED;
  const auto first_turn = [&](std::size_t sample) { return sample * launches % turns.size(); };
  std::map<std::size_t, GraphExec> graphs;
  for (std::size_t sample = 0; sample < milliseconds.size(); ++sample) {
    const std::size_t first = first_turn(sample);
    if (graphs.contains(first)) break;  // and so it goes on
    graphs.emplace(first, captured(api_, opened_->stream.get(), mode, [&] {
                     for (std::size_t i = 0; i < launches; ++i) {
                       queue(turns[(first + i) % turns.size()]);
                     }
                   }));
  }
  wait("cuGraphUpload");
  const auto launch_graph = [&](std::size_t sample) {
    check(api_, api_.graph_launch(graphs.at(first_turn(sample)).get(), opened_->stream.get()),
          "cuGraphLaunch", Phase::kLaunch);
  };
  tuner_timing by_sample = timing;
  by_sample.launches_per_sample = 1;
  Work work{launch_graph, launches * operations_of(turns.front()) + 2 * arrays.size(), true, true};
  if (!arrays.empty()) work.before = [&] { fill(arrays); };
  opened_->timer.time(by_sample, work, milliseconds);
  give_back(arrays);
  for (double& ms : milliseconds) ms /= static_cast<double>(launches);
}

sdk::Conditions CudaBackend::conditions() {
  return {opened().timer.megahertz(), board_power_.watts()};
}

std::string CudaBackend::remark() {
  if (!opened().timer.holds_back()) {
    return "each launch waits for the device in this process, as under a profiler, under "
           "compute-sanitizer or with CUDA_LAUNCH_BLOCKING=1: times hold what the host takes for a "
           "launch, some microseconds";
  }
  if (!unblocked_launches()) return {};
  return "CUDA_LAUNCH_BLOCKING is set and has been left out where kernels are timed: with it each "
         "launch would wait for the device";
}

std::uint32_t CudaBackend::begin_counting(const std::vector<std::string>& names,
                                          std::uint32_t launches, bool flush_cache) {
  const CUcontext context = opened().context.get();
  counting_ = {};  // one profiler at a time
  counting_.counters =
      std::make_unique<Counters>(context, static_cast<std::uint32_t>(device_), names, launches);
  counting_.flush_cache = flush_cache;
  counting_.launches = launches;
  return counting_.counters->passes();
}

// Whatever goes wrong ends the counting: CUPTI holds the device's counters meanwhile.
void CudaBackend::count(std::uint64_t id, const tuner_launch& launch, std::span<double> values) {
  opened();
  Counting now = std::exchange(counting_, {});
  if (!now.counters) throw sdk::Error(TUNER_INVALID, "nothing is being counted");
  Turns turns;
  turns.push_back(prepare(id, launch));
  const auto arrays = arrays_of(turns);
  fill(arrays);
  if (now.flush_cache) opened_->timer.flush();
  wait("cuMemsetD8Async");
  now.counters->begin();
  queue(turns.front());
  wait("kernel", true);
  now.counters->end();
  give_back(arrays);
  now.values.push_back(values);
  if (now.counters->done()) {
    for (std::uint32_t i = 0; i < now.launches; ++i) {
      const std::vector<double> counted = now.counters->values(i);
      std::copy_n(counted.begin(), std::min(counted.size(), now.values[i].size()),
                  now.values[i].begin());
    }
    return;
  }
  if (now.values.size() == now.launches) now.values.clear();  // the next pass
  counting_ = std::move(now);
}

double CudaBackend::power(std::uint64_t id, const tuner_launch& launch) {
  constexpr double kWarm = 0.2, kSeconds = 0.6, kChunk = 0.01;
  opened();
  if (!meter_) meter_.emplace(facts_.uuid);
  Turns turns;
  turns.push_back(prepare(id, launch));
  std::vector<Step>& steps = turns.front();
  fill(arrays_of(turns));
  const auto now = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // Launches as many times at once as fill some milliseconds, so that the device is never idle for
  // long.
  int launches = 1;
  const auto work = [&] {
    const double begin = now();
    for (int i = 0; i < launches; ++i) queue(steps);
    wait("kernel", true);
    if (now() - begin < kChunk / 2 && launches < 1024) launches *= 2;
  };
  return mean_watts([&] { return meter_->millijoules(); }, now, work, kWarm, kSeconds);
}

}  // namespace tuner::cuda
