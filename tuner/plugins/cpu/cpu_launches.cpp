// Launches and times kernels on a CPU as a backend.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/plugins/cpu/cpu_backend.h"

namespace tuner::cpu {
namespace {

// Enough to replace what the cores' caches hold of a variant's data. More would only cost time.
constexpr std::int64_t kMaxFlushBytes = 32 << 20;

// The stand-in for every tensor map: kernels that read one have no code for the CPU.
alignas(64) constexpr std::byte kNoMap[128] = {};

[[noreturn]] void refuse(const std::string& why) { throw sdk::Error(TUNER_LAUNCH_REFUSED, why); }

void check_geometry(const tuner_device_facts& facts, const tuner_launch& launch,
                    std::uint64_t static_shared_bytes) {
  sdk::check_shape(launch, facts);
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (std::cmp_greater(threads, facts.max_threads_per_block)) {
    refuse(std::to_string(threads) + " threads in a block; there may be " +
           std::to_string(facts.max_threads_per_block));
  }
  const std::uint64_t room = static_cast<std::uint64_t>(facts.max_shared_memory_per_block_optin);
  if (launch.dynamic_shared_bytes > room ||
      static_shared_bytes > room - launch.dynamic_shared_bytes) {
    refuse(std::to_string(static_shared_bytes) + " bytes of static and " +
           std::to_string(launch.dynamic_shared_bytes) +
           " of dynamic shared memory; together there may be " + std::to_string(room));
  }
}

// Clusters are of blocks that reach each other's shared memory. What else a launch may ask for
// changes no answer.
bool is_cooperative(const tuner_launch& launch) {
  // Each thread that waits has a stack, which is two of the mappings that a process may have.
  constexpr std::uint64_t kMaxThreadsAtOnce = 16384;
  const tuner_launch_attributes* asked = launch.attributes;
  if (asked == nullptr) return false;
  if (asked->cluster[0] * asked->cluster[1] * asked->cluster[2] > 1) {
    refuse("the cpu backend has no clusters");
  }
  std::uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) threads *= std::uint64_t{launch.grid[i]} * launch.block[i];
  if (asked->cooperative != 0 && threads > kMaxThreadsAtOnce) {
    refuse(std::to_string(threads) + " threads in a cooperative launch; there may be " +
           std::to_string(kMaxThreadsAtOnce));
  }
  return asked->cooperative != 0;
}

std::vector<tuner_cpu_index> thread_indices(const tuner_cpu_index& block) {
  std::vector<tuner_cpu_index> out;
  out.reserve(std::size_t{block.x} * block.y * block.z);
  for (unsigned z = 0; z < block.z; ++z) {
    for (unsigned y = 0; y < block.y; ++y) {
      for (unsigned x = 0; x < block.x; ++x) out.push_back({x, y, z});
    }
  }
  return out;
}

}  // namespace

std::list<CpuBackend::Prepared> CpuBackend::prepare(std::uint64_t id,
                                                    const tuner_launch& launch) const {
  std::list<Prepared> all;
  for (const sdk::Step& step : sdk::steps_of(id, launch)) {
    prepare(kernel(step.kernel), *step.launch, all.emplace_back());
  }
  return all;
}

void CpuBackend::prepare(const Kernel& kernel, const tuner_launch& launch, Prepared& out) const {
  out.host = kernel.host.get();
  if (out.host == nullptr) check_geometry(facts_, launch, kernel.image->static_shared_bytes());
  const auto& sizes = out.host ? out.host->parameter_sizes() : kernel.entry.parameter_sizes;
  const std::span arguments(launch.arguments, launch.argument_count);
  if (arguments.size() != sizes.size()) {
    throw sdk::Error(TUNER_INVALID, "the kernel takes " + std::to_string(sizes.size()) +
                                        " arguments, not " + std::to_string(arguments.size()));
  }
  out.buffers.resize(arguments.size());
  out.grid.buffers.resize(arguments.size());
  const std::span maps = sdk::maps_of(launch);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const tuner_argument& argument = arguments[i];
    const bool is_map =
        std::ranges::any_of(maps, [&](const tuner_tensor_map& map) { return map.argument == i; });
    const std::size_t size = is_map                    ? sizeof kNoMap
                             : argument.is_buffer != 0 ? sizeof(void*)
                                                       : argument.scalar_size;
    if (size != sizes[i]) {
      throw sdk::Error(TUNER_INVALID, "argument " + std::to_string(i + 1) + " has " +
                                          std::to_string(size) + " bytes; the kernel takes " +
                                          std::to_string(sizes[i]));
    }
    if (is_map) {
      out.arguments.push_back(const_cast<std::byte*>(kNoMap));
    } else if (argument.is_buffer != 0) {
      std::byte* data = memory_.at(argument.buffer, 0);
      out.buffers[i] = data;
      out.grid.buffers[i] = {data, memory_.bytes_from(argument.buffer)};
      out.arguments.push_back(&out.buffers[i]);
    } else {
      out.arguments.push_back(const_cast<void*>(argument.scalar));
    }
  }
  for (const tuner_zeros& zeros : sdk::zeros_of(launch)) {
    out.zeros.emplace_back(memory_.at(zeros.at, zeros.bytes), zeros.bytes);
  }
  if (out.host != nullptr) return;
  out.cooperative = is_cooperative(launch);
  Grid& grid = out.grid;
  grid.image = kernel.image.get();
  grid.run_thread = kernel.entry.run;
  grid.size = {launch.grid[0], launch.grid[1], launch.grid[2]};
  grid.block = {launch.block[0], launch.block[1], launch.block[2]};
  grid.arguments = out.arguments.data();
  grid.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  grid.thread_indices = thread_indices(grid.block);
}

void CpuBackend::run(const Prepared& step) {
  for (const std::span<std::byte> zeros : step.zeros) {
    std::fill(zeros.begin(), zeros.end(), std::byte{0});
  }
  if (step.host != nullptr) return step.host->call(step.arguments.data());
  return step.cooperative ? run_at_once(step.grid) : run_in_turn(step.grid);
}

void CpuBackend::run_in_turn(const Grid& grid) {
  const std::uint64_t blocks = grid.block_count();
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string fault;
  const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(pool_.size(), blocks));
  pool_.run(workers, [&](unsigned worker) {
    BlockRunner& runner = *runners_[worker];
    runner.begin(grid);
    while (!failed) {
      const std::uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= blocks) return;
      if (runner.run(block)) continue;
      const std::lock_guard lock(mutex);
      if (!failed.exchange(true)) fault = runner.fault();
    }
  });
  if (failed) throw sdk::Error(TUNER_RUNTIME_FAULT, fault);
}

// Blocks that wait for each other have an OS thread each, whose own variables their shared memory
// is.
void CpuBackend::run_at_once(Grid grid) const {
  GridMeeting meeting(grid.block_count());
  grid.meeting = &meeting;
  std::mutex mutex;
  std::string fault;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t block = 0; block < grid.block_count(); ++block) {
      threads.emplace_back([&, block] {
        BlockRunner runner(order_);
        runner.begin(grid);
        const bool passed = runner.run(block);
        const std::lock_guard lock(mutex);
        if (!passed && fault.empty()) fault = runner.fault();
        meeting.leave();
      });
    }
  }
  if (!fault.empty()) throw sdk::Error(TUNER_RUNTIME_FAULT, fault);
}

void CpuBackend::launch(std::uint64_t kernel, const tuner_launch& launch) {
  const CrashReport report;
  for (Prepared& step : prepare(kernel, launch)) {
    step.grid.poison_shared = poison_shared_;
    run(step);
  }
}

void CpuBackend::launch_shuffled(std::uint64_t kernel, const tuner_launch& launch,
                                 std::uint64_t seed) {
  const CrashReport report;
  for (Prepared& step : prepare(kernel, launch)) {
    step.grid.poison_shared = poison_shared_;
    step.grid.order = ThreadOrder{true, seed};
    run(step);
  }
}

void CpuBackend::time(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
                      std::span<double> milliseconds) {
  using Clock = std::chrono::steady_clock;
  const CrashReport report;
  std::vector<std::list<Prepared>> turns;
  for (const tuner_launch* one : sdk::turns_of(launch, timing)) {
    turns.push_back(prepare(kernel, *one));
  }
  const std::uint32_t launches = std::max(1U, timing.launches_per_sample);
  std::size_t number = 0;  // of the launch
  for (double& sample : milliseconds) {
    restore(timing);
    if (timing.flush_cache != 0) flush_caches();
    const auto start = Clock::now();
    for (std::uint32_t i = 0; i < launches; ++i, ++number) {
      for (const Prepared& step : turns[number % turns.size()]) run(step);
    }
    const std::chrono::duration<double, std::milli> spent = Clock::now() - start;
    sample = spent.count() / launches;
  }
}

// Each worker writes its part of the area: the cores' own caches lose the data too.
void CpuBackend::flush_caches() {
  if (flush_area_.empty()) {
    const std::int64_t wanted = std::clamp<std::int64_t>(2 * facts_.l2_bytes, 1, kMaxFlushBytes);
    flush_area_.resize(static_cast<std::size_t>(wanted));
  }
  pool_.run(pool_.size(), [&](unsigned worker) {
    const std::size_t part = flush_area_.size() / pool_.size();
    volatile std::byte* area = flush_area_.data() + worker * part;
    for (std::size_t i = 0; i < part; i += 64) area[i] = area[i] ^ std::byte{1};
  });
}

}  // namespace tuner::cpu
