#pragma once
// What a launch needs before the driver sees it: whether the device can run it, and its maps of
// matrices for the copy engine.

#include <string>

#include "tuner/plugin/abi.h"
#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

// Why the device cannot run this launch of a kernel with these resources; empty when it can. The
// driver would refuse too, but says only "invalid argument".
std::string refusal(const tuner_launch& launch, const tuner_resources& kernel,
                    const tuner_device_facts& device);

// What the kernel takes for `map` of the matrix at `address`. All zeros on devices older than 9.0,
// whose kernels have no instruction that could read it. Throws sdk::Error (TUNER_LAUNCH_REFUSED)
// that says which of the copy engine's rules is broken.
CUtensorMap encode(const DriverApi& api, const tuner_device_facts& device,
                   const tuner_tensor_map& map, CUdeviceptr address);

}  // namespace tuner::cuda
