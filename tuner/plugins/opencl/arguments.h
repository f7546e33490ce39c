#pragma once
// What a kernel is given: arguments in their places, and its groups.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner/plugins/opencl/image.h"

namespace tuner::opencl {

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
