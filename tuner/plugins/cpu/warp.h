#pragma once
// The functions in which lanes of a warp wait for each other: who has come, and what each gets.

#include <array>
#include <cstdint>
#include <span>

#include "tuner/plugins/cpu/runtime/interface.h"

namespace tuner::cpu {

inline constexpr std::uint32_t kWarpSize = 32;

struct Lane {
  std::uint64_t value = 0;     // given
  std::uint32_t argument = 0;  // given: see tuner_cpu_warp_op
  std::uint64_t result = 0;
};

// Lanes that are in the same function with the same mask (and, for the active mask, at the same
// place).
struct WarpGroup {
  std::uint32_t op = 0;
  std::uint32_t mask = 0;
  std::uint64_t site = 0;
  std::uint32_t arrived = 0;

  bool complete(std::uint32_t live) const { return (mask & live & ~arrived) == 0; }
};

struct Warp {
  std::uint32_t live = 0;  // lanes that exist and have not returned
  std::uint32_t group_count = 0;
  std::array<WarpGroup, kWarpSize> groups;

  WarpGroup& join(std::uint32_t op, std::uint32_t mask, std::uint64_t site, std::uint32_t lane);
  void remove(const WarpGroup& group);
};

// Computes the results of the lanes that have arrived.
void exchange(const WarpGroup& group, std::span<Lane> lanes);

}  // namespace tuner::cpu
