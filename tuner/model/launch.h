#pragma once
// How a kernel is launched.

#include <array>
#include <cstdint>
#include <vector>

#include "tuner/model/data_type.h"

namespace tuner {

struct LaunchGeometry {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0;
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

}  // namespace tuner
