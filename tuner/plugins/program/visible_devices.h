#pragma once
// Which of NVIDIA's devices a program finds, as CUDA_VISIBLE_DEVICES says.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tuner::program {

// Places in `uuids` ("GPU-..."), in the variable's order; null: the variable is not set. As CUDA
// has it, a list ends at the first entry that names no device, a number may be followed by
// anything, a beginning of a UUID counts if no other UUID begins so, and of a list that has an
// entry twice nothing is visible. A slice ("MIG-...") does not tell whose it is: all devices then.
std::vector<std::size_t> visible_devices(const char* variable, std::span<const std::string> uuids);

}  // namespace tuner::program
