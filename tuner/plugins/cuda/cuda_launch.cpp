// Launching and timing: the part of CudaBackend that runs the user's kernel.
#include "tuner/plugins/cuda/cuda_backend.h"
#include "tuner/plugins/cuda/driver_error.h"
#include "tuner/plugins/cuda/launch_check.h"

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

std::vector<void*> CudaBackend::bind_arguments(const Kernel& kernel, const tuner_launch& launch,
                                               std::vector<CUdeviceptr>& pointers) const {
  if (kernel.parameters_known && kernel.parameter_sizes.size() != launch.argument_count) {
    throw sdk::Error(TUNER_INVALID,
                     "the kernel takes " + std::to_string(kernel.parameter_sizes.size()) +
                         " arguments, " + std::to_string(launch.argument_count) + " are given");
  }
  pointers.reserve(launch.argument_count);  // addresses of its elements are handed out
  std::vector<void*> out;
  for (std::size_t i = 0; i < launch.argument_count; ++i) {
    const tuner_argument& argument = launch.arguments[i];
    const std::size_t size = argument.is_buffer != 0 ? sizeof(CUdeviceptr) : argument.scalar_size;
    if (kernel.parameters_known && kernel.parameter_sizes[i] != size) {
      throw sdk::Error(TUNER_INVALID, "argument " + std::to_string(i + 1) + " has " +
                                          std::to_string(size) + " bytes, the kernel expects " +
                                          std::to_string(kernel.parameter_sizes[i]));
    }
    if (argument.is_buffer != 0) {
      pointers.push_back(address(argument.buffer, 0));
      out.push_back(&pointers.back());
    } else {
      out.push_back(const_cast<void*>(argument.scalar));
    }
  }
  return out;
}

void CudaBackend::queue(const Kernel& kernel, const tuner_launch& launch,
                        std::vector<void*>& arguments) const {
  check(api_,
        api_.launch_kernel(kernel.function, launch.grid[0], launch.grid[1], launch.grid[2],
                           launch.block[0], launch.block[1], launch.block[2],
                           static_cast<unsigned>(launch.dynamic_shared_bytes),
                           opened_->stream.get(), arguments.data(), nullptr),
        "cuLaunchKernel", Phase::kLaunch);
}

void CudaBackend::launch(std::uint64_t id, const tuner_launch& launch) {
  opened();
  Kernel& target = kernel(id);
  prepare_launch(target, launch);
  std::vector<CUdeviceptr> pointers;
  std::vector<void*> arguments = bind_arguments(target, launch, pointers);
  queue(target, launch, arguments);
  wait("kernel", true);
  target.launched = true;
}

void CudaBackend::time(std::uint64_t id, const tuner_launch& launch, const tuner_timing& timing,
                       std::span<double> milliseconds) {
  opened();
  Kernel& target = kernel(id);
  prepare_launch(target, launch);
  for (const tuner_restore& one : std::span(timing.restores, timing.restore_count)) {
    address({one.to, 0}, one.bytes);
    address({one.from, 0}, one.bytes);
  }
  std::vector<CUdeviceptr> pointers;
  std::vector<void*> arguments = bind_arguments(target, launch, pointers);
  const auto queue_one = [&] { queue(target, launch, arguments); };
  opened_->timer.time(timing, queue_one, target.launched, milliseconds);
  target.launched = true;
}

}  // namespace tuner::cuda
