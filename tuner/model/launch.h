#pragma once
// How a kernel is launched, and what it does with its arguments.

#include <array>
#include <cstdint>
#include <vector>

#include "tuner/model/data_type.h"

namespace tuner {

// How a kernel uses an argument.
enum class Role { kIn, kOut, kInOut, kScratch, kWorkspace };
constexpr bool is_read(Role role) { return role == Role::kIn || role == Role::kInOut; }
// Memory that only the kernel works in; its size may depend on the configuration.
constexpr bool is_working_space(Role role) {
  return role == Role::kScratch || role == Role::kWorkspace;
}
constexpr bool is_output(Role role) { return role == Role::kOut || role == Role::kInOut; }

// How the device spreads the blocks of a cluster over its multiprocessors.
enum class ClusterScheduling : std::uint32_t { kDefault = 0, kSpread = 1, kLoadBalancing = 2 };

// Attributes of a launch besides its shape. The defaults request nothing.
struct LaunchAttributes {
  std::array<std::uint32_t, 3> cluster{1, 1, 1};  // blocks; 1 in all: what the kernel itself says
  bool cooperative = false;  // all blocks at once: they can wait for each other
  // Percent of the cache's memory that is shared memory; -1: the driver's choice.
  int carveout = -1;
  ClusterScheduling scheduling = ClusterScheduling::kDefault;
  bool programmatic = false;  // may begin before the launch in front of it has ended
  std::uint64_t blocks_in_cluster() const {
    return std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  }
  friend bool operator==(const LaunchAttributes&, const LaunchAttributes&) = default;
};

// Bytes that a device keeps for all kernels beside their buffers; 0: as it does by itself.
struct KernelLimits {
  std::uint64_t heap = 0;    // of malloc and new in kernels
  std::uint64_t stack = 0;   // of each thread
  std::uint64_t printf = 0;  // that printf in kernels fills
  bool any() const { return heap > 0 || stack > 0 || printf > 0; }
  friend bool operator==(const KernelLimits&, const KernelLimits&) = default;
};

struct LaunchGeometry {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0;
  LaunchAttributes attributes{};
  std::uint64_t threads_per_block() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
};

// How the device's copy engine sees a dense row-major matrix: its extents and those of the box that
// one copy moves, slowest dimension first, in elements; and the bytes over which the rows of a box
// are swizzled in shared memory (0 = not).
struct TensorMap {
  DataType type = DataType::kFloat32;
  std::vector<std::uint64_t> extents;
  std::vector<std::uint32_t> box;  // as many
  std::uint32_t swizzle = 0;
};

// How kernels read a dense buffer through texture units, or reach it through a surface. The numbers
// are those of plugin/abi_abilities.h.
struct TextureView {
  enum class Kind : std::uint32_t { kOverMemory = 0, kOverArray = 1, kSurface = 2 };
  enum class Filter : std::uint32_t { kPoint = 0, kLinear = 1 };
  enum class Outside : std::uint32_t { kClamp = 0, kWrap = 1, kMirror = 2, kBorder = 3 };
  DataType type = DataType::kFloat32;
  std::uint32_t lanes = 1;   // numbers of an element: 1, 2 or 4
  std::uint64_t width = 0;   // elements of a row, or of the vector
  std::uint64_t height = 0;  // 0: a vector
  std::uint64_t depth = 0;   // 0: no volume
  Kind kind = Kind::kOverMemory;
  Filter filter = Filter::kPoint;
  Outside outside = Outside::kClamp;
  bool normalized = false;  // coordinates from 0 to 1
  bool as_floats = false;   // integers are read as numbers from 0 or -1 to 1
  // Over an array of the driver's own, which holds what the buffer holds.
  bool is_over_array() const { return kind != Kind::kOverMemory; }
};

}  // namespace tuner
