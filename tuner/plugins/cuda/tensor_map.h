#pragma once
// Maps of matrices for the copy engine.

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver_api.h"

namespace tuner::cuda {

// What the kernel takes for `map` of the matrix at `address`. All zeros on devices older than 9.0,
// whose kernels have no instruction that could read it. Throws sdk::Error (TUNER_LAUNCH_REFUSED)
// that says which of the copy engine's rules is broken.
CUtensorMap encode(const DriverApi& api, const tuner_device_facts& device,
                   const tuner_tensor_map& map, CUdeviceptr address);

}  // namespace tuner::cuda
