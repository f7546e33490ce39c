#pragma once
// Programs as a driver compiles them, and the images that compile workers make of them.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugins/opencl/devices.h"

namespace tuner::opencl {

// What an argument of a kernel is. A driver may not tell it.
enum class Takes : char { kBuffer = 'b', kLocal = 'l', kValue = 'v', kOther = 'o', kUnknown = '?' };

struct ImageKernel {
  std::string name;
  std::vector<Takes> arguments{};
};

struct Image {
  std::vector<ImageKernel> kernels;  // in the order in which they were asked for
  std::string binary;                // the device's
};

std::string packed(const Image& image);
// Throws sdk::Error (TUNER_INVALID) when the bytes are no image.
Image unpacked(std::string_view bytes);

Context make_context(const Device& device);

// A program that was built, or not.
struct Build {
  Program program;
  cl_int code = 0;  // CL_SUCCESS: it was
  std::string log;
};
Build build_source(cl_context context, const Device& device, const std::string& source,
                   const std::string& options);
Build build_binary(cl_context context, const Device& device, const std::string& binary);
std::string binary_of(cl_program program);

// Throws sdk::Error (TUNER_INVALID) when there is none of that name.
Kernel make_kernel(cl_program program, const std::string& name);
std::vector<Takes> arguments_of(cl_kernel kernel);
tuner_resources resources_of(cl_kernel kernel, const Device& device);

}  // namespace tuner::opencl
