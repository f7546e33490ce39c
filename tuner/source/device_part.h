#pragma once
// A CUDA source without the code that is for the host: what is left is compiled as device code, by
// compilers that do not split a file as nvcc does.

#include <string>
#include <vector>

namespace tuner {

struct DevicePart {
  std::string text;                   // blanks stand for what is left out: no line or column moves
  std::vector<std::string> left_out;  // "main", "<vector>", ...
};

// Leaves out functions at namespace scope that are declared neither __device__ nor __global__ nor
// constexpr (nor by a macro, which may say any of it), variables of the host's C++ library, and
// includes that only such code needs.
DevicePart device_part(const std::string& source);

}  // namespace tuner
