#pragma once
// Launches that a device cannot run.

#include <string>

#include "tuner/plugin/abi.h"

namespace tuner::cuda {

// Why the device cannot run this launch of a kernel with these resources; empty when it can. The
// driver would refuse too, but says only "invalid argument".
std::string refusal(const tuner_launch& launch, const tuner_resources& kernel,
                    const tuner_device_facts& device);

}  // namespace tuner::cuda
