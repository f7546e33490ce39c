// Launching and timing: the part of CudaBackend that runs the user's kernel.
#include <algorithm>
#include <chrono>

#include "tuner/plugins/cuda/cuda_backend.h"
#include "tuner/plugins/cuda/driver_error.h"
#include "tuner/plugins/cuda/launch_check.h"
#include "tuner/plugins/cuda/tensor_map.h"

namespace tuner::cuda {

// Reading what a kernel takes catches a study whose argument list does not fit; the driver itself
// would copy bytes from beyond the list.
void CudaBackend::read_parameters(Kernel& kernel) const {
  if (api_.func_get_param_info == nullptr) return;
  kernel.parameters_known = true;
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (api_.func_get_param_info(kernel.function, i, &offset, &size) != CUDA_SUCCESS) return;
    kernel.parameter_sizes.push_back(size);
  }
}

void CudaBackend::prepare_launch(Kernel& kernel, const tuner_launch& launch) const {
  const std::string reason = refusal(launch, kernel.resources, facts_);
  if (!reason.empty()) throw sdk::Error(TUNER_LAUNCH_REFUSED, reason);
  const auto dynamic = static_cast<std::int64_t>(launch.dynamic_shared_bytes);
  if (dynamic + kernel.resources.static_shared_bytes <= facts_.max_shared_memory_per_block ||
      dynamic <= kernel.allowed_dynamic_shared) {
    return;
  }
  check(api_,
        api_.func_set_attribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(dynamic)),
        "cuFuncSetAttribute", Phase::kLaunch);
  kernel.allowed_dynamic_shared = dynamic;
}

void CudaBackend::bind_arguments(const Kernel& kernel, const tuner_launch& launch,
                                 Bound& bound) const {
  if (kernel.parameters_known && kernel.parameter_sizes.size() != launch.argument_count) {
    throw sdk::Error(TUNER_INVALID,
                     "the kernel takes " + std::to_string(kernel.parameter_sizes.size()) +
                         " arguments, " + std::to_string(launch.argument_count) + " are given");
  }
  // Addresses of the elements are handed out.
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
  for (std::size_t i = 0; i < bound.maps.size(); ++i) {
    const tuner_tensor_map& map = sdk::maps_of(launch)[i];
    if (map.argument >= launch.argument_count) {
      throw sdk::Error(TUNER_INVALID, "a tensor map for an argument that is not there");
    }
    bound.maps[i] = encode(api_, facts_, map, bound.pointers[map.argument]);
    bound.arguments[map.argument] = &bound.maps[i];
    sizes[map.argument] = sizeof(CUtensorMap);
  }
  for (std::size_t i = 0; kernel.parameters_known && i < sizes.size(); ++i) {
    if (kernel.parameter_sizes[i] == sizes[i]) continue;
    throw sdk::Error(TUNER_INVALID, "argument " + std::to_string(i + 1) + " has " +
                                        std::to_string(sizes[i]) + " bytes, the kernel expects " +
                                        std::to_string(kernel.parameter_sizes[i]));
  }
}

// Nothing is launched before all that follows could be, too.
std::vector<CudaBackend::Step> CudaBackend::prepare(std::uint64_t id, const tuner_launch& launch) {
  const std::vector<sdk::Step> chain = sdk::steps_of(id, launch);
  std::vector<Step> steps(chain.size());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    steps[i].kernel = &kernel(chain[i].kernel);
    steps[i].launch = chain[i].launch;
    try {
      prepare_launch(*steps[i].kernel, *steps[i].launch);
      bind_arguments(*steps[i].kernel, *steps[i].launch, steps[i].bound);
    } catch (const sdk::Error& error) {
      if (i == 0) throw;
      throw sdk::Error(error.status(), "launch " + std::to_string(i + 1) + ": " + error.what());
    }
  }
  return steps;
}

void CudaBackend::queue(std::vector<Step>& steps) const {
  for (Step& step : steps) {
    const tuner_launch& launch = *step.launch;
    check(api_,
          api_.launch_kernel(step.kernel->function, launch.grid[0], launch.grid[1], launch.grid[2],
                             launch.block[0], launch.block[1], launch.block[2],
                             static_cast<unsigned>(launch.dynamic_shared_bytes),
                             opened_->stream.get(), step.bound.arguments.data(), nullptr),
          "cuLaunchKernel", Phase::kLaunch);
  }
}

void CudaBackend::launch(std::uint64_t id, const tuner_launch& launch) {
  opened();
  std::vector<Step> steps = prepare(id, launch);
  queue(steps);
  wait("kernel", true);
  for (const Step& step : steps) step.kernel->launched = true;
}

void CudaBackend::time(std::uint64_t id, const tuner_launch& launch, const tuner_timing& timing,
                       std::span<double> milliseconds) {
  opened();
  std::vector<Step> steps = prepare(id, launch);
  for (const tuner_restore& one : std::span(timing.restores, timing.restore_count)) {
    address({one.to, 0}, one.bytes);
    address({one.from, 0}, one.bytes);
  }
  const Work work{[&] { queue(steps); }, steps.size(),
                  std::all_of(steps.begin(), steps.end(),
                              [](const Step& one) { return one.kernel->launched; })};
  opened_->timer.time(timing, work, milliseconds);
  for (const Step& step : steps) step.kernel->launched = true;
}

double CudaBackend::power(std::uint64_t id, const tuner_launch& launch) {
  constexpr double kWarm = 0.2, kSeconds = 0.6, kChunk = 0.01;
  opened();
  if (!meter_) meter_.emplace(facts_.uuid);
  std::vector<Step> steps = prepare(id, launch);
  const auto now = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // As many launches at a time as fill some milliseconds, so that the device is never idle for
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
