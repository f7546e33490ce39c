#pragma once
// Launches of the port as the C interface has them.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/ports/backend.h"

namespace tuner {

inline tuner_range to_abi(BufferRange range) { return {range.buffer, range.offset}; }

// The study reader has seen to the rank.
inline tuner_tensor_map to_abi(const TensorMap& from, std::uint32_t argument) {
  tuner_tensor_map to{};
  to.argument = argument;
  to.type = static_cast<std::uint32_t>(from.type);
  to.rank = static_cast<std::uint32_t>(std::min(from.extents.size(), std::size(to.extents)));
  to.swizzle = from.swizzle;
  std::copy_n(from.extents.begin(), to.rank, to.extents);
  std::copy_n(from.box.begin(), to.rank, to.box);
  return to;
}

inline tuner_launch_attributes to_abi(const LaunchAttributes& from) {
  return {sizeof(tuner_launch_attributes),
          {from.cluster[0], from.cluster[1], from.cluster[2]},
          from.cooperative ? 1U : 0U,
          from.carveout,
          static_cast<std::uint32_t>(from.scheduling),
          from.programmatic ? 1U : 0U};
}

// A launch with the views that it refers to.
class AbiLaunch {
 public:
  explicit AbiLaunch(const KernelLaunch& one) {
    for (const LaunchArgument& from : one.arguments) {
      if (from.map) {
        maps_.push_back(to_abi(*from.map, static_cast<std::uint32_t>(arguments_.size())));
      }
      arguments_.push_back({from.is_buffer ? 1U : 0U,
                            static_cast<std::uint32_t>(from.scalar.size()), to_abi(from.buffer),
                            from.scalar.data()});
    }
    launch.struct_size = sizeof launch;
    std::copy(one.geometry.grid.begin(), one.geometry.grid.end(), launch.grid);
    std::copy(one.geometry.block.begin(), one.geometry.block.end(), launch.block);
    launch.dynamic_shared_bytes = one.geometry.dynamic_shared_bytes;
    launch.arguments = arguments_.data();
    launch.argument_count = arguments_.size();
    launch.maps = maps_.data();
    launch.map_count = maps_.size();
    for (const Zeros& some : one.zeros) zeros_.push_back({to_abi(some.at), some.bytes});
    launch.zeros = zeros_.data();
    launch.zeros_count = zeros_.size();
    if (one.geometry.attributes == LaunchAttributes{}) return;
    attributes_ = to_abi(one.geometry.attributes);
    launch.attributes = &attributes_;
  }
  AbiLaunch(const AbiLaunch&) = delete;
  AbiLaunch& operator=(const AbiLaunch&) = delete;

  tuner_launch launch{};

 private:
  std::vector<tuner_argument> arguments_;
  std::vector<tuner_tensor_map> maps_;
  std::vector<tuner_zeros> zeros_;
  tuner_launch_attributes attributes_{};
};

// Launches as they hang on the first.
class AbiSequence {
 public:
  explicit AbiSequence(const LaunchSequence& from) : kernel(from.front().kernel) {
    for (const KernelLaunch& one : from) {
      launches_.emplace_back(one);
      if (launches_.size() == 1) continue;
      tuner_launch& before = std::prev(launches_.end(), 2)->launch;
      before.next_kernel = one.kernel;
      before.next = &launches_.back().launch;
    }
  }
  const tuner_launch* first() const { return &launches_.front().launch; }

  KernelId kernel;

 private:
  std::deque<AbiLaunch> launches_;  // which stay where they are
};

}  // namespace tuner
