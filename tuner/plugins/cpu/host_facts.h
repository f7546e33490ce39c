#pragma once
// This machine in the words of a device.

#include "tuner/plugin/abi.h"

namespace tuner::cpu {

// This machine as a device. Limits of blocks are those of limits.h.
tuner_device_facts host_facts();

}  // namespace tuner::cpu
