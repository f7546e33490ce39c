#pragma once
// What the driver says of a device.

#include <string>

#include "tuner/plugin/abi.h"
#include "tuner/plugins/cuda/driver_api.h"

namespace tuner::cuda {

// `arch`: what to compile for, or "auto" for the device's own.
tuner_device_facts device_facts(const DriverApi& api, CUdevice device, const std::string& arch);

// "580.65.06 (CUDA 13.0)" from the text of /proc/driver/nvidia/version and cuDriverGetVersion;
// "CUDA 13.0" where that text has no version.
std::string driver_version_text(const std::string& proc_text, int cuda_version);

}  // namespace tuner::cuda
