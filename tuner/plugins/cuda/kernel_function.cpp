// Asks the driver about a kernel, and launches it.

#include "tuner/plugins/cuda/kernel_function.h"

#include "tuner/plugins/cuda/launch.h"

namespace tuner::cuda {
namespace {

tuner_resources resources_of(const DriverApi& api, CUfunction function) {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    check(api, api.func_get_attribute(&value, which, function), "cuFuncGetAttribute");
    return std::int64_t{value};
  };
  tuner_resources out = sdk::kUnknownResources;
  out.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  out.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  out.constant_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  out.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  out.max_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return out;
}

}  // namespace

KernelFunction::KernelFunction(const DriverApi& api, CUmodule module, const std::string& entry)
    : api_(&api) {
  check(api, api.module_get_function(&function_, module, entry.c_str()), "cuModuleGetFunction");
  resources_ = resources_of(api, function_);
  if (api.func_get_param_info == nullptr) return;
  parameters_known_ = true;
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (api.func_get_param_info(function_, i, &offset, &size) != CUDA_SUCCESS) return;
    parameter_sizes_.push_back(size);
  }
}

void KernelFunction::check_count(std::size_t arguments) const {
  if (!parameters_known_ || parameter_sizes_.size() == arguments) return;
  throw sdk::Error(TUNER_INVALID, "the kernel takes " + std::to_string(parameter_sizes_.size()) +
                                      " arguments, " + std::to_string(arguments) + " are given");
}

void KernelFunction::check_sizes(std::span<const std::size_t> sizes) const {
  for (std::size_t i = 0; parameters_known_ && i < sizes.size(); ++i) {
    if (parameter_sizes_[i] == sizes[i]) continue;
    throw sdk::Error(TUNER_INVALID, "argument " + std::to_string(i + 1) + " has " +
                                        std::to_string(sizes[i]) + " bytes, the kernel expects " +
                                        std::to_string(parameter_sizes_[i]));
  }
}

void KernelFunction::tell(CUfunction_attribute attribute, int value) const {
  check(*api_, api_->func_set_attribute(function_, attribute, value), "cuFuncSetAttribute",
        Phase::kLaunch);
}

void KernelFunction::allow_shared(const tuner_launch& launch, const tuner_device_facts& facts) {
  const auto dynamic = static_cast<std::int64_t>(launch.dynamic_shared_bytes);
  if (dynamic + resources_.static_shared_bytes <= facts.max_shared_memory_per_block ||
      dynamic <= dynamic_shared_) {
    return;
  }
  tell(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(dynamic));
  dynamic_shared_ = dynamic;
}

void KernelFunction::allow_attributes(const tuner_launch& launch) {
  const tuner_launch_attributes* asked = sdk::attributes_of(launch);
  const int carveout = asked != nullptr ? asked->carveout : -1;
  if (carveout != carveout_) {
    tell(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carveout);
    carveout_ = carveout;
  }
  if (asked == nullptr || large_clusters_ || blocks_in_cluster(*asked) <= kPortableCluster) return;
  tell(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  large_clusters_ = true;
}

void KernelFunction::prepare(const tuner_launch& launch, const tuner_device_facts& facts) {
  const std::string reason = refusal(launch, resources_, facts);
  if (!reason.empty()) throw sdk::Error(TUNER_LAUNCH_REFUSED, reason);
  allow_shared(launch, facts);
  allow_attributes(launch);
}

void KernelFunction::launch(const tuner_launch& launch, CUstream stream, void** arguments) const {
  std::vector<CUlaunchAttribute> attributes = driver_attributes(launch);
  const auto shared = static_cast<unsigned>(launch.dynamic_shared_bytes);
  if (attributes.empty()) {
    check(*api_,
          api_->launch_kernel(function_, launch.grid[0], launch.grid[1], launch.grid[2],
                              launch.block[0], launch.block[1], launch.block[2], shared, stream,
                              arguments, nullptr),
          "cuLaunchKernel", Phase::kLaunch);
    return;
  }
  if (api_->launch_kernel_ex == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for launch attributes");
  }
  const CUlaunchConfig config{launch.grid[0],
                              launch.grid[1],
                              launch.grid[2],
                              launch.block[0],
                              launch.block[1],
                              launch.block[2],
                              shared,
                              stream,
                              attributes.data(),
                              static_cast<unsigned>(attributes.size())};
  check(*api_, api_->launch_kernel_ex(&config, function_, arguments, nullptr), "cuLaunchKernelEx",
        Phase::kLaunch);
}

}  // namespace tuner::cuda
