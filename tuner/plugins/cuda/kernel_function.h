#pragma once
// A kernel as the driver has it: what it uses and takes, what the driver was told of it, and how it
// is launched.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

class KernelFunction {
 public:
  // Throws sdk::Error where the module has no such kernel.
  KernelFunction(const DriverApi& api, CUmodule module, const std::string& entry);

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

  const DriverApi* api_;
  CUfunction function_ = nullptr;
  tuner_resources resources_{};
  std::vector<std::size_t> parameter_sizes_;
  bool parameters_known_ = false;
  // What the driver was last told.
  std::int64_t dynamic_shared_ = 0;
  int carveout_ = -1;
  bool large_clusters_ = false;
};

}  // namespace tuner::cuda
