#pragma once
// What an error of the driver means.

#include <string>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/driver_api.h"

namespace tuner::cuda {

// What the driver was doing when it failed: decides what an error that could mean anything means.
enum class Phase {
  kCall,    // anything that runs no kernel
  kLaunch,  // handing a kernel over: nothing has run yet
  kWait,    // waiting for a kernel
};

tuner_status classify(CUresult result, Phase phase);

// "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(const DriverApi& api, CUresult result, const char* call);

// Throws sdk::Error unless `result` is a success.
void check(const DriverApi& api, CUresult result, const char* call, Phase phase = Phase::kCall);

}  // namespace tuner::cuda
