#pragma once
// Facts about a device, and the rates that it reaches at most.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/expression/value.h"

namespace tuner {

// A device's highest rates, as plain kernels measured them; 0: not known.
struct Ceilings {
  double memory_bytes_per_second = 0;  // read and written
  double cache_bytes_per_second = 0;   // of what stays in its last cache
  double cache_bytes = 0;              // that fit there
  double launch_ms = 0;                // the shortest launch
  // Multiplications and additions by the name of their type. Types that are not here have no
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

// ---- what is known of it ------------------------------------------------------------------------

// Abilities that only some backends have: to time launches from a graph, to have the launches of a
// measurement take turns on copies of the buffers, to launch with LaunchAttributes, to run the
// threads of a block in other orders.
inline constexpr std::string_view kTimesGraphs = "graph";
inline constexpr std::string_view kRotatesBuffers = "rotation";
inline constexpr std::string_view kSetsLaunchAttributes = "launch attributes";
inline constexpr std::string_view kShufflesThreads = "thread order";

// Facts that a backend reports of one device. A number below 0: it does not report that one.
struct DeviceFacts {
  std::string backend;  // "cuda"
  std::string name;     // "NVIDIA H200"
  std::string uuid;
  std::string arch;            // what the compiler is told: "sm_90", "x86-64"
  std::string driver;          // version text
  int compute_capability = 0;  // 90; 0 when it has no meaning
  std::int64_t multiprocessors = 1;
  std::int64_t warp_size = 32;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_threads_per_multiprocessor = 2048;
  std::int64_t max_blocks_per_multiprocessor = 32;
  std::int64_t registers_per_block = 65536;
  std::int64_t registers_per_multiprocessor = 65536;
  std::int64_t max_shared_memory_per_block = 49152;
  std::int64_t max_shared_memory_per_block_optin = 49152;
  std::int64_t shared_memory_per_multiprocessor = 65536;
  std::int64_t reserved_shared_memory_per_block = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t clock_khz = 0;
  std::array<std::int64_t, 3> max_block{1024, 1024, 64};
  std::array<std::int64_t, 3> max_grid{2147483647, 65535, 65535};
  std::vector<std::string> abilities{};  // of the backend, of those above
  // Measured where a study needs them, not reported by the backend. They are no field, so that
  // nobody sends, keeps or compares them.
  Ceilings ceilings{};

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;

  // File-name form of the name: "nvidia-h200".
  std::string slug() const;
  bool can(std::string_view ability) const;
  // The numbers as "device.max_threads_per_block", ... for expressions.
  Bindings bindings() const;
};

// Returns the facts that are assumed where no device is known (`tuner check` without a GPU), for
// "sm_90", "cpu" or "opencl". Throws InputError for an architecture that is not known, listing
// those that are.
DeviceFacts nominal_facts(const std::string& arch);

}  // namespace tuner
