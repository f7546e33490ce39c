#pragma once
// A number that nobody can foresee.

#include <cstdint>
#include <random>

namespace tuner {

// From the system.
inline std::uint64_t drawn_secret() {
  std::random_device system;
  return (std::uint64_t{system()} << 32) | system();
}

}  // namespace tuner
