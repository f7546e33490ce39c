#pragma once
// Launches as a plugin's table takes them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/plugin/abi_abilities.h"
#include "tuner/ports/backend.h"

namespace tuner {

// The study reader has seen to the rank.
inline tuner_tensor_map abi_map(const TensorMap& from, std::uint32_t argument) {
  tuner_tensor_map to{};
  to.argument = argument;
  to.type = static_cast<std::uint32_t>(from.type);
  to.rank = static_cast<std::uint32_t>(std::min(from.extents.size(), std::size(to.extents)));
  to.swizzle = from.swizzle;
  std::copy_n(from.extents.begin(), to.rank, to.extents);
  std::copy_n(from.box.begin(), to.rank, to.box);
  return to;
}

inline tuner_launch_attributes abi_attributes(const LaunchAttributes& from) {
  return {sizeof(tuner_launch_attributes),
          {from.cluster[0], from.cluster[1], from.cluster[2]},
          from.cooperative ? 1U : 0U,
          from.carveout,
          static_cast<std::uint32_t>(from.scheduling),
          from.programmatic ? 1U : 0U};
}

// A launch with the views that it refers to, of one that outlives it.
class AbiLaunch {
 public:
  AbiLaunch(const KernelLaunch& one, DeviceMemory& memory) {
    for (const LaunchArgument& from : one.arguments) {
      if (from.map) {
        maps_.push_back(abi_map(*from.map, static_cast<std::uint32_t>(arguments_.size())));
      }
      arguments_.push_back({from.is_buffer ? 1U : 0U,
                            static_cast<std::uint32_t>(from.scalar.size()), from.buffer,
                            bytes_of(from, memory)});
    }
    launch.struct_size = sizeof launch;
    std::copy(one.geometry.grid.begin(), one.geometry.grid.end(), launch.grid);
    std::copy(one.geometry.block.begin(), one.geometry.block.end(), launch.block);
    launch.dynamic_shared_bytes = one.geometry.dynamic_shared_bytes;
    launch.arguments = arguments_.data();
    launch.argument_count = arguments_.size();
    launch.maps = maps_.data();
    launch.map_count = maps_.size();
    launch.zeros = one.zeros.data();
    launch.zeros_count = one.zeros.size();
    launch.arrays = arrays_.data();
    launch.array_count = arrays_.size();
    if (one.geometry.attributes == LaunchAttributes{}) return;
    attributes_ = abi_attributes(one.geometry.attributes);
    launch.attributes = &attributes_;
  }
  AbiLaunch(const AbiLaunch&) = delete;
  AbiLaunch& operator=(const AbiLaunch&) = delete;

  tuner_launch launch{};
  DeviceResult<Ok> written = Ok{};  // the addresses

 private:
  // Writes addresses into a copy of the bytes, which stays.
  const std::byte* bytes_of(const LaunchArgument& from, DeviceMemory& memory) {
    if (from.addresses.empty()) return from.scalar.data();
    std::vector<std::byte>& own = with_addresses_.emplace_back(from.scalar);
    if (written) written = write_addresses(memory, from.addresses, own);
    for (const AddressAt& one : from.addresses) {
      if (one.texture && one.texture->is_over_array()) arrays_.push_back(one.of);
    }
    return own.data();
  }

  std::vector<std::vector<std::byte>> with_addresses_;
  std::vector<tuner_argument> arguments_;
  std::vector<tuner_tensor_map> maps_;
  std::vector<tuner_range> arrays_;
  tuner_launch_attributes attributes_{};
};

// Launches as they hang on the first, of some that outlive them.
class AbiSequence {
 public:
  AbiSequence(const LaunchSequence& from, DeviceMemory& memory) : kernel(from.front().kernel) {
    for (const KernelLaunch& one : from) {
      launches_.emplace_back(one, memory);
      if (written_ && !launches_.back().written) written_ = launches_.back().written;
      if (launches_.size() == 1) continue;
      tuner_launch& before = std::prev(launches_.end(), 2)->launch;
      before.next_kernel = one.kernel;
      before.next = &launches_.back().launch;
    }
  }
  const tuner_launch* first() const { return &launches_.front().launch; }
  // Whether all addresses were to be had.
  const DeviceResult<Ok>& written() const { return written_; }

  KernelId kernel;

 private:
  DeviceResult<Ok> written_ = Ok{};
  std::deque<AbiLaunch> launches_;  // which stay where they are
};

}  // namespace tuner
