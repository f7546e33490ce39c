// Finds the reason why a device cannot run a launch, encodes maps for the copy engine, and
// launches.

#include "tuner/plugins/cuda/launch.h"

#include <array>
#include <cstdint>
#include <string>

#include "tuner/plugins/cuda/device_kernels.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {
namespace {

// Clusters of more blocks are not possible on every device: the kernel has to allow them.
constexpr std::uint64_t kPortableCluster = 8;

std::uint64_t blocks_in_cluster(const tuner_launch_attributes& attributes) {
  return std::uint64_t{attributes.cluster[0]} * attributes.cluster[1] * attributes.cluster[2];
}

// Lists a launch's attributes for the driver, besides the shape; empty if none is asked for.
std::vector<CUlaunchAttribute> driver_attributes(const tuner_launch& launch) {
  std::vector<CUlaunchAttribute> out;
  const tuner_launch_attributes* asked = launch.attributes;
  if (asked == nullptr) return out;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    out.emplace_back().id = id;
    return out.back().value;
  };
  if (blocks_in_cluster(*asked) > 1) {
    auto& cluster = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    cluster.x = asked->cluster[0];
    cluster.y = asked->cluster[1];
    cluster.z = asked->cluster[2];
  }
  if (asked->cooperative != 0) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (asked->scheduling != TUNER_SCHEDULING_DEFAULT) {
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        .clusterSchedulingPolicyPreference = asked->scheduling == TUNER_SCHEDULING_SPREAD
                                                 ? CU_CLUSTER_SCHEDULING_POLICY_SPREAD
                                                 : CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
  }
  if (asked->programmatic != 0) {
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }
  return out;
}

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

std::string refusal(const tuner_launch& launch, const tuner_resources& kernel,
                    const tuner_device_facts& device) {
  using std::to_string;
  const char* const axes[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    if (launch.block[i] == 0 || launch.grid[i] == 0) {
      return std::string("grid and block must be at least 1 in ") + axes[i];
    }
    if (launch.block[i] > device.max_block[i]) {
      return std::string("block.") + axes[i] + " is " + to_string(launch.block[i]) +
             ", the device allows " + to_string(device.max_block[i]);
    }
    if (launch.grid[i] > device.max_grid[i]) {
      return std::string("grid.") + axes[i] + " is " + to_string(launch.grid[i]) +
             ", the device allows " + to_string(device.max_grid[i]);
    }
  }
  const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > device.max_threads_per_block) {
    return to_string(threads) + " threads in a block, the device allows " +
           to_string(device.max_threads_per_block);
  }
  if (kernel.max_threads >= 0 && threads > kernel.max_threads) {
    return to_string(threads) + " threads in a block, this kernel allows " +
           to_string(kernel.max_threads) + " (" + to_string(kernel.registers) +
           " registers a thread, or its launch bounds)";
  }
  const std::int64_t fixed = kernel.static_shared_bytes > 0 ? kernel.static_shared_bytes : 0;
  const auto optin = static_cast<std::uint64_t>(device.max_shared_memory_per_block_optin);
  if (launch.dynamic_shared_bytes > optin ||
      launch.dynamic_shared_bytes + static_cast<std::uint64_t>(fixed) > optin) {
    return to_string(launch.dynamic_shared_bytes) + " bytes of dynamic and " + to_string(fixed) +
           " of static shared memory, the device allows " + to_string(optin);
  }
  return {};
}

// ---- maps of matrices ---------------------------------------------------------------------------

namespace {

constexpr std::uint32_t kMostDimensions = 5;
constexpr std::uint32_t kMostInBox = 256;

[[noreturn]] void refuse(const std::string& why) {
  throw sdk::Error(TUNER_LAUNCH_REFUSED, "tensor map: " + why);
}

CUtensorMapDataType data_type(std::uint32_t type) {
  switch (static_cast<tuner_type>(type)) {
    case TUNER_FLOAT32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case TUNER_FLOAT64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case TUNER_FLOAT16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case TUNER_BFLOAT16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case TUNER_INT8:
    case TUNER_UINT8:
    case TUNER_FLOAT8_E4M3:
    case TUNER_FLOAT8_E5M2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case TUNER_INT16:
    case TUNER_UINT16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case TUNER_INT32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case TUNER_UINT32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case TUNER_INT64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case TUNER_UINT64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
  refuse("there is no type " + std::to_string(type));
}

CUtensorMapSwizzle swizzle_of(std::uint32_t bytes) {
  switch (bytes) {
    case 0:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
    case 32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      refuse("swizzle " + std::to_string(bytes) + " is none of 0, 32, 64 and 128");
  }
}

// The driver itself says no more than "invalid argument".
void check_rules(const tuner_tensor_map& map, std::uint64_t element) {
  if (map.rank < 1 || map.rank > kMostDimensions) refuse("it has no dimensions, or more than 5");
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    if (map.box[i] < 1 || map.box[i] > kMostInBox) {
      refuse("an extent of the box is " + std::to_string(map.box[i]) + ", must be from 1 to 256");
    }
  }
  const std::uint32_t last = map.rank - 1;
  const std::uint64_t row = map.extents[last] * element;
  const std::uint64_t box = map.box[last] * element;
  if (map.rank > 1 && row % 16 != 0) {
    refuse("rows of " + std::to_string(row) + " bytes, must be a multiple of 16");
  }
  if (box % 16 != 0) {
    refuse("rows of the box of " + std::to_string(box) + " bytes, must be a multiple of 16");
  }
  if (map.swizzle != 0 && box > map.swizzle) {
    refuse("rows of the box of " + std::to_string(box) + " bytes, more than the swizzle's " +
           std::to_string(map.swizzle));
  }
}

}  // namespace

CUtensorMap encode(const DriverApi& api, const tuner_device_facts& device,
                   const tuner_tensor_map& map, CUdeviceptr address) {
  CUtensorMap out{};
  if (device.compute_capability < 90) return out;
  if (api.tensor_map_encode_tiled == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for tensor maps");
  }
  const std::uint64_t element = sdk::facts_of(map.type).bytes;
  check_rules(map, element);
  // The driver counts from the fastest dimension, and leaves out its stride.
  std::array<cuuint64_t, kMostDimensions> extents{}, strides{};
  std::array<cuuint32_t, kMostDimensions> box{}, every_one{};
  std::uint64_t stride = element;
  for (std::uint32_t i = 0; i < map.rank; ++i) {
    const std::uint32_t from = map.rank - 1 - i;
    extents[i] = map.extents[from];
    box[i] = map.box[from];
    every_one[i] = 1;
    stride *= map.extents[from];
    strides[i] = stride;
  }
  // Fetching 256 bytes at a time into the L2 cache is no faster where rows are aligned to them, and
  // slower by a twentieth where they are not (matmul_bf16, N = 3000, on an H200).
  check(api,
        api.tensor_map_encode_tiled(
            &out, data_type(map.type), map.rank, reinterpret_cast<void*>(address), extents.data(),
            strides.data(), box.data(), every_one.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle_of(map.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled", Phase::kLaunch);
  return out;
}

// ---- kernels -----------------------------------------------------------------------------------

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

KernelFunction::KernelFunction(std::unique_ptr<programs::HostFunction> host)
    : host_(std::move(host)), resources_(sdk::kUnknownResources), parameters_known_(true) {
  const std::vector<std::uint32_t>& sizes = host_->parameter_sizes();
  if (sizes.empty() || sizes.back() != sizeof(CUstream)) {
    throw sdk::Error(TUNER_INVALID, "the launcher's last parameter is no cudaStream_t");
  }
  parameter_sizes_.assign(sizes.begin(), sizes.end() - 1);
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
  const tuner_launch_attributes* asked = launch.attributes;
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
  if (is_of_host()) return;
  const std::string reason = refusal(launch, resources_, facts);
  if (!reason.empty()) throw sdk::Error(TUNER_LAUNCH_REFUSED, reason);
  allow_shared(launch, facts);
  allow_attributes(launch);
}

void KernelFunction::launch(const tuner_launch& launch, CUstream stream, void** arguments) const {
  if (is_of_host()) {
    std::vector<void*> all(arguments, arguments + launch.argument_count);
    all.push_back(&stream);
    return host_->call(all.data());
  }
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
