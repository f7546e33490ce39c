#pragma once
// Variables of a compiled kernel's module that a program may set in a module of its own.

#include <string>

namespace tuner {

// Returns the first variable of an image (a cubin) whose value somebody has to bring at run time:
// a __constant__ or __device__ variable that begins with zeros alone. Empty: there is none, or it
// is no cubin.
std::string unset_variable(const std::string& image);

}  // namespace tuner
