// Lets lanes of a warp wait for each other and exchange values.

#include "tuner/plugins/cpu/warp.h"

#include <algorithm>
#include <bit>

namespace tuner::cpu {
namespace {

template <typename Visit>
void for_each_lane(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// The lane that `lane` reads from; its own where the shuffle reaches out of its part of the warp.
std::uint32_t source_of(std::uint32_t lane, std::uint32_t argument) {
  const std::uint32_t mode = argument & 3;
  const std::uint32_t delta = argument >> 2 & 63;
  const std::uint32_t last_of_part = argument >> 8 & 31;  // width - 1
  const std::uint32_t first = lane & ~last_of_part;
  const std::uint32_t last = first | last_of_part;
  switch (mode) {
    case TUNER_CPU_FROM:
      return first | (delta & last_of_part);
    case TUNER_CPU_UP:
      return lane < first + delta ? lane : lane - delta;
    case TUNER_CPU_DOWN:
      return lane + delta > last ? lane : lane + delta;
    default:
      return (lane ^ delta) > last ? lane : lane ^ delta;
  }
}

// A value that a lane does not have is undefined on a GPU; here it is a NaN, so that its use shows.
void shuffle(const WarpGroup& group, std::span<Lane> lanes) {
  for_each_lane(group.arrived, [&](std::uint32_t lane) {
    const std::uint32_t source = source_of(lane, lanes[lane].argument);
    const bool there = (group.arrived >> source & 1U) != 0;
    lanes[lane].result = there ? lanes[source].value : ~std::uint64_t{0};
  });
}

void match(const WarpGroup& group, std::span<Lane> lanes) {
  for_each_lane(group.arrived, [&](std::uint32_t lane) {
    std::uint32_t same = 0;
    for_each_lane(group.arrived, [&](std::uint32_t other) {
      if (lanes[other].value == lanes[lane].value) same |= 1U << other;
    });
    lanes[lane].result = same;
  });
}

std::uint32_t combine(std::uint32_t op, std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a);
  const auto signed_b = static_cast<std::int32_t>(b);
  switch (op) {
    case TUNER_CPU_ADD:
      return a + b;
    case TUNER_CPU_MIN_SIGNED:
      return signed_a < signed_b ? a : b;
    case TUNER_CPU_MIN_UNSIGNED:
      return std::min(a, b);
    case TUNER_CPU_MAX_SIGNED:
      return signed_a < signed_b ? b : a;
    case TUNER_CPU_MAX_UNSIGNED:
      return std::max(a, b);
    case TUNER_CPU_BIT_AND:
      return a & b;
    case TUNER_CPU_BIT_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

std::uint64_t common_result(const WarpGroup& group, std::span<const Lane> lanes) {
  std::uint32_t ballot = 0;
  std::uint32_t sum = 0;
  bool first = true;
  for_each_lane(group.arrived, [&](std::uint32_t lane) {
    const auto value = static_cast<std::uint32_t>(lanes[lane].value);
    if (value != 0) ballot |= 1U << lane;
    sum = first ? value : combine(group.op, sum, value);
    first = false;
  });
  switch (group.op) {
    case TUNER_CPU_SYNC:
      return 0;
    case TUNER_CPU_BALLOT:
      return ballot;
    case TUNER_CPU_ALL:
      return ballot == group.arrived ? 1 : 0;
    case TUNER_CPU_ANY:
      return ballot != 0 ? 1 : 0;
    case TUNER_CPU_UNIFORM:
      return ballot == 0 || ballot == group.arrived ? 1 : 0;
    case TUNER_CPU_ACTIVE_MASK:
      return group.arrived;
    default:
      return sum;
  }
}

}  // namespace

WarpGroup& Warp::join(std::uint32_t op, std::uint32_t mask, std::uint64_t site,
                      std::uint32_t lane) {
  for (std::uint32_t i = 0; i < group_count; ++i) {
    WarpGroup& group = groups[i];
    if (group.op == op && group.mask == mask && group.site == site) {
      group.arrived |= 1U << lane;
      return group;
    }
  }
  // Each waiting lane is in one group, so 32 are enough.
  WarpGroup& group = groups[group_count++];
  group = {op, mask, site, 1U << lane};
  return group;
}

void Warp::remove(const WarpGroup& group) {
  const auto at = static_cast<std::size_t>(&group - groups.data());
  groups[at] = groups[--group_count];
}

void exchange(const WarpGroup& group, std::span<Lane> lanes) {
  if (group.op == TUNER_CPU_SHUFFLE) return shuffle(group, lanes);
  if (group.op == TUNER_CPU_MATCH_ANY) return match(group, lanes);
  const std::uint64_t result = common_result(group, lanes);
  for_each_lane(group.arrived, [&](std::uint32_t lane) { lanes[lane].result = result; });
}

}  // namespace tuner::cpu
