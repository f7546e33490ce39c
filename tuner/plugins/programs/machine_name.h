#pragma once
// What this machine's processors are called: the name of the host as a device.

#include <string>

namespace tuner::programs {

// "AMD EPYC 9654"; where the system does not say, the kind of machine.
std::string machine_name();

}  // namespace tuner::programs
