#pragma once
// How much memory the host code gives to what it passes to a kernel.

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/drafting/found_source.h"
#include "tuner/drafting/launch_hint.h"

namespace tuner {

// cudaMalloc(&p, size), malloc(size), new T[size], std::vector<T> p(size), T p[size].
struct HostMemory {
  std::vector<Tokens> factors;  // of the size
  std::size_t frame = 0;        // of the launch, where their names are to be read
  bool is_bytes = false;        // else elements
  std::string place;            // "line 4"
};

// Of what the launch passes at `place`, casts, offsets and further names seen through.
std::optional<HostMemory> host_memory(const FoundSource& source, const LaunchHint& hint,
                                      std::size_t place);

}  // namespace tuner
