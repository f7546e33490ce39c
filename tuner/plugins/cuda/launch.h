#pragma once
// A kernel as the driver has it, and what a launch of it needs: whether the device can run it, the
// attributes for the driver, maps of matrices for the copy engine.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver.h"
#include "tuner/plugins/programs/host_function.h"

namespace tuner::cuda {

// Returns the reason why the device cannot run this launch of a kernel with these resources; empty
// when it can. The driver would refuse too, but only with "invalid argument".
std::string refusal(const tuner_launch& launch, const tuner_resources& kernel,
                    const tuner_device_facts& device);

// Encodes `map` of the matrix at `address` for the kernel. All zeros on devices older than 9.0,
// whose kernels have no instruction that could read it. Throws sdk::Error (TUNER_LAUNCH_REFUSED)
// with the rule of the copy engine that is broken.
CUtensorMap encode(const DriverApi& api, const tuner_device_facts& device,
                   const tuner_tensor_map& map, CUdeviceptr address);

// A kernel, or a function of the host that launches by itself and takes a stream as its last
// argument.
class KernelFunction {
 public:
  // Throws sdk::Error where the module has no such kernel.
  KernelFunction(const DriverApi& api, CUmodule module, const std::string& entry);

  explicit KernelFunction(std::unique_ptr<programs::HostFunction> host);

  bool is_of_host() const { return host_ != nullptr; }
  const tuner_resources& resources() const { return resources_; }
  // Bytes of each argument; throws sdk::Error where the kernel takes others. Reading that catches a
  // study whose argument list does not fit: the driver would copy bytes from beyond the list.
  void check_count(std::size_t arguments) const;
  void check_sizes(std::span<const std::size_t> sizes) const;
  // Before a launch: tells the driver what belongs to the kernel and not to the launch. Throws
  // sdk::Error where the device cannot run it.
  void prepare(const tuner_launch& launch, const tuner_device_facts& facts);
  void launch(const tuner_launch& launch, CUstream stream, void** arguments) const;

 private:
  void tell(CUfunction_attribute attribute, int value) const;
  void allow_shared(const tuner_launch& launch, const tuner_device_facts& facts);
  void allow_attributes(const tuner_launch& launch);

  const DriverApi* api_ = nullptr;
  std::unique_ptr<programs::HostFunction> host_;
  CUfunction function_ = nullptr;
  tuner_resources resources_{};
  std::vector<std::size_t> parameter_sizes_;
  bool parameters_known_ = false;
  // The attributes that were last set in the driver.
  std::int64_t dynamic_shared_ = 0;
  int carveout_ = -1;
  bool large_clusters_ = false;
};

}  // namespace tuner::cuda
