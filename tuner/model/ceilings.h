#pragma once
// What a device reaches at most, and what of that bounds a kernel's time.

#include <string>
#include <utility>
#include <vector>

namespace tuner {

// As plain kernels measured it; 0: not known.
struct Ceilings {
  double memory_bytes_per_second = 0;  // read and written
  double cache_bytes_per_second = 0;   // of what stays in its last cache
  double cache_bytes = 0;              // that fit there
  double launch_ms = 0;                // the shortest launch
  // Of multiplications and additions, by the name of their type. Types that are not here have no
  // ceiling that is known.
  std::vector<std::pair<std::string, double>> operations_per_second{};

  bool known() const { return launch_ms > 0; }
  friend bool operator==(const Ceilings&, const Ceilings&) = default;
};

// The time in which the device could do what a kernel has to do, by what takes it longest.
struct DeviceLimit {
  double ms = 0;
  std::string of;  // "memory", "cache", "launch" or a type
  friend bool operator==(const DeviceLimit&, const DeviceLimit&) = default;
};

}  // namespace tuner
