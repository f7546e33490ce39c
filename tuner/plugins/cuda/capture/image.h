#pragma once
// Images of modules that the application loads, as far as they hold a kernel that is asked for, and
// the variables in them.

#include <cstddef>
#include <string>
#include <vector>

namespace tuner::capture {

// A cubin. A copy: CUPTI shows it while it is loaded, and no longer.
struct Image {
  std::string bytes;
  std::vector<std::string> kernels;    // mangled names
  std::vector<std::string> variables;  // of the device or constant, mangled names
};

// Reads the names of a cubin, an ELF file of 64 bits; of anything else there are none.
Image image_of(std::string bytes);

}  // namespace tuner::capture
