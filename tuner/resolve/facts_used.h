#pragma once
// The facts of a device that a study's launches depend on.

#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"

namespace tuner {

// "warp_size" of an expression with device.warp_size: each once, in the order of the alphabet.
std::vector<std::string> facts_used(const Study& study);

// Throws InputError where this device does not report one of them.
void require_told_facts(const Study& study, const DeviceFacts& device);

}  // namespace tuner
