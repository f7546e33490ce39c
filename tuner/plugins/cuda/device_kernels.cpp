// Compiles and launches the kernels that fill and compare buffers.

#include "tuner/plugins/cuda/device_kernels.h"

#include <algorithm>
#include <cstring>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver.h"
#include "tuner/plugins/cuda/nvrtc_compiler.h"

namespace tuner::cuda {
namespace {

constexpr unsigned kThreads = 256;  // device_kernels.cu counts on it

// The result of a comparison, laid out as in device_kernels.cu.
struct CompareResult {
  std::uint64_t mismatches = 0;
  std::uint64_t first_mismatch = ~std::uint64_t{0};
  std::uint64_t max_error_bits = 0;
};

}  // namespace

std::string compile_device_source(const std::string& arch) {
  sdk::CompileRequest request;
  request.source = std::string(kDeviceSource);
  request.source_name = "device_kernels.cu";
  request.entry = "tuner_fill";
  request.arch = arch;
  // Contracted multiply-adds would give other numbers than the host's.
  request.options = {"--fmad=false"};
  sdk::CompileResult result = NvrtcCompiler().compile(request);
  if (!result.compiled) throw sdk::Error(TUNER_UNSUPPORTED, "fill and compare: " + result.log);
  return std::move(result.image);
}

DeviceKernels::DeviceKernels(const DriverApi& api, CUstream stream, std::string arch,
                             std::int64_t blocks)
    : api_(api),
      stream_(stream),
      arch_(std::move(arch)),
      max_blocks_(static_cast<std::uint64_t>(std::max<std::int64_t>(1, blocks))) {}

void DeviceKernels::prepare() {
  if (module_ != nullptr) return;
  const std::string image = compile_device_source(arch_);
  CUmodule raw = nullptr;
  check(api_, api_.module_load_data(&raw, image.c_str()), "cuModuleLoadData");
  Module module(raw, {&api_});
  check(api_, api_.module_get_function(&fill_, raw, "tuner_fill"), "cuModuleGetFunction");
  check(api_, api_.module_get_function(&compare_, raw, "tuner_compare"), "cuModuleGetFunction");
  check(api_, api_.module_get_function(&stamp_, raw, "tuner_stamp"), "cuModuleGetFunction");
  result_ = DeviceMemory(api_, sizeof(CompareResult));
  module_ = std::move(module);
}

void DeviceKernels::launch(CUfunction function, std::uint64_t elements, void** arguments) {
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::uint64_t>((elements + kThreads - 1) / kThreads, 1, max_blocks_));
  check(api_,
        api_.launch_kernel(function, blocks, 1, 1, kThreads, 1, 1, 0, stream_, arguments, nullptr),
        "cuLaunchKernel", Phase::kLaunch);
}

void DeviceKernels::wait() {
  check(api_, api_.stream_synchronize(stream_), "cuStreamSynchronize", Phase::kWait);
}

void DeviceKernels::queue_stamp(CUdeviceptr out, unsigned blocks) {
  prepare();
  void* arguments[] = {&out};
  check(api_, api_.launch_kernel(stamp_, blocks, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr),
        "cuLaunchKernel", Phase::kLaunch);
}

void DeviceKernels::fill(CUdeviceptr to, std::uint64_t elements, const tuner_fill& how) {
  if (how.kind == TUNER_FILL_BYTES) {
    check(api_,
          api_.memset_d8_async(to, static_cast<unsigned char>(static_cast<long long>(how.a)),
                               elements * sdk::facts_of(how.type).bytes, stream_),
          "cuMemsetD8Async");
    return;
  }
  if (how.kind > TUNER_FILL_ZIPF) throw sdk::Error(TUNER_INVALID, "unknown kind of fill");
  prepare();
  tuner_fill fill = how;
  void* arguments[] = {&to, &elements, &fill.kind, &fill.type, &fill.a, &fill.b, &fill.seed};
  launch(fill_, elements, arguments);
}

double DeviceKernels::read_element(CUdeviceptr from, std::uint64_t index, std::uint32_t type) {
  const std::size_t size = sdk::facts_of(type).bytes;
  alignas(8) unsigned char bytes[8] = {};
  check(api_, api_.memcpy_dtoh_async(bytes, from + index * size, size, stream_),
        "cuMemcpyDtoHAsync");
  wait();
  return sdk::elements::load_element(bytes, 0, type);
}

tuner_comparison DeviceKernels::compare(CUdeviceptr actual, CUdeviceptr expected,
                                        std::uint32_t type, std::uint64_t elements, double rtol,
                                        double atol) {
  prepare();
  CompareResult result;
  CUdeviceptr out = result_.get();
  check(api_, api_.memcpy_htod_async(out, &result, sizeof result, stream_), "cuMemcpyHtoDAsync");
  void* arguments[] = {&actual, &expected, &elements, &type, &rtol, &atol, &out};
  launch(compare_, elements, arguments);
  check(api_, api_.memcpy_dtoh_async(&result, out, sizeof result, stream_), "cuMemcpyDtoHAsync");
  wait();
  tuner_comparison found{};
  found.mismatches = result.mismatches;
  std::memcpy(&found.max_abs_error, &result.max_error_bits, sizeof found.max_abs_error);
  if (found.mismatches > 0) {
    found.first_mismatch = result.first_mismatch;
    found.first_value = read_element(actual, found.first_mismatch, type);
    found.first_expected = read_element(expected, found.first_mismatch, type);
  }
  return found;
}

}  // namespace tuner::cuda
