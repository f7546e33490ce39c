#pragma once
// What a launch needs before the driver sees it: whether the device can run it, and its maps of
// matrices for the copy engine.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

// Why the device cannot run this launch of a kernel with these resources; empty when it can. The
// driver would refuse too, but says only "invalid argument".
std::string refusal(const tuner_launch& launch, const tuner_resources& kernel,
                    const tuner_device_facts& device);

// Clusters of more blocks are not possible on every device: the kernel has to allow them.
inline constexpr std::uint64_t kPortableCluster = 8;
std::uint64_t blocks_in_cluster(const tuner_launch_attributes& attributes);

// What the driver is told besides the shape; empty where nothing is asked for.
std::vector<CUlaunchAttribute> driver_attributes(const tuner_launch& launch);

// What the kernel takes for `map` of the matrix at `address`. All zeros on devices older than 9.0,
// whose kernels have no instruction that could read it. Throws sdk::Error (TUNER_LAUNCH_REFUSED)
// that says which of the copy engine's rules is broken.
CUtensorMap encode(const DriverApi& api, const tuner_device_facts& device,
                   const tuner_tensor_map& map, CUdeviceptr address);

}  // namespace tuner::cuda
