#pragma once
// The kernels that fill and compare buffers on the device.

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/plugin/abi.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

extern const std::string_view kDeviceSource;  // sdk_elements.h and device_kernels.cu

// Compiles kDeviceSource; throws sdk::Error with the compiler's log.
std::string compile_device_source(const std::string& arch);

// Fill and compare on the device. Compiled on first use: that costs a part of a second.
class DeviceKernels {
 public:
  DeviceKernels(const DriverApi& api, CUstream stream, std::string arch, std::int64_t blocks);

  // Queues the fill: all that may read or change the memory comes behind it in the stream.
  void fill(CUdeviceptr to, std::uint64_t elements, const tuner_fill& how);
  tuner_comparison compare(CUdeviceptr actual, CUdeviceptr expected, std::uint32_t type,
                           std::uint64_t elements, double rtol, double atol);
  bool ready() const { return module_ != nullptr; }  // compiled and loaded
  // Queues ClockStamps of the multiprocessors that `blocks` blocks come to lie on, to 1024 slots.
  void queue_stamp(CUdeviceptr out, unsigned blocks);

 private:
  void prepare();
  void launch(CUfunction function, std::uint64_t elements, void** arguments);
  double read_element(CUdeviceptr from, std::uint64_t index, std::uint32_t type);
  void wait();

  const DriverApi& api_;
  CUstream stream_;
  std::string arch_;
  std::uint64_t max_blocks_;
  Module module_;
  CUfunction fill_ = nullptr;
  CUfunction compare_ = nullptr;
  CUfunction stamp_ = nullptr;
  DeviceMemory result_;
};

}  // namespace tuner::cuda
