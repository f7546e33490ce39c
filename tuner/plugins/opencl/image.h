#pragma once
// Programs as a driver compiles them, the images that compile workers make of them, and the
// arguments that their kernels are given.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugins/opencl/devices.h"

namespace tuner::opencl {

// The kind of a kernel's argument. kUnknown: the driver does not report it.
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

// ---- arguments of a launch ----------------------------------------------------------------------

// A kernel of a program that was loaded.
struct LoadedEntry {
  Kernel kernel;
  ImageKernel image;
  tuner_resources resources{};
};

// One argument, as the driver takes it.
struct BoundArgument {
  cl_mem memory = nullptr;      // of a buffer
  const void* value = nullptr;  // of a number; the caller's, for as long as it is launched
  std::size_t bytes = 0;        // of a number, or of local memory
};

struct BoundLaunch {
  const LoadedEntry* entry = nullptr;
  std::vector<BoundArgument> arguments;
  std::array<std::size_t, 3> global{}, local{};
};

using MemoryOf = std::function<cl_mem(tuner_range)>;

// Throws sdk::Error: TUNER_LAUNCH_REFUSED for groups that the device cannot have, TUNER_INVALID for
// arguments that the kernel does not take.
BoundLaunch bound(const LoadedEntry& entry, const tuner_launch& launch,
                  const tuner_device_facts& facts, const MemoryOf& memory_of);

// A kernel's __local argument is the launch's dynamic shared memory; all others are given, in their
// order. Which of the given ones each argument is, -1 for the local one. Throws as above.
std::vector<int> argument_places(const ImageKernel& kernel, std::size_t given,
                                 std::uint64_t dynamic_bytes);

// Sets the arguments, which the driver reads when the kernel is launched.
void set_arguments(const BoundLaunch& launch);

}  // namespace tuner::opencl
