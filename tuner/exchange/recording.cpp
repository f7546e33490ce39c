// Looks configurations of a recording up.

#include "tuner/exchange/recording.h"

#include <algorithm>
#include <bit>

#include "tuner/base/hash.h"

namespace tuner {
namespace {

std::uint64_t hash_of(std::span<const std::uint32_t> positions) {
  std::uint64_t hash = positions.size();
  for (const std::uint32_t position : positions) hash = splitmix64(hash ^ position);
  return hash;
}

}  // namespace

Configuration Recording::configuration(std::size_t entry) const {
  Configuration values;
  values.reserve(parameters.size());
  const auto at = positions_of(entry);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    values.push_back(parameters[p].values[at[p]]);
  }
  return values;
}

RecordingIndex::RecordingIndex(const Recording& recording)
    : recording_(&recording), slots_(std::bit_ceil(2 * recording.entries.size() + 1), 0) {
  for (std::size_t entry = 0; entry < recording.entries.size(); ++entry) {
    slots_[slot_of(recording.positions_of(entry))] = static_cast<std::uint32_t>(entry + 1);
  }
}

// The slot of the entry with these positions; when there is none, the free one where it would be.
std::size_t RecordingIndex::slot_of(std::span<const std::uint32_t> positions) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(positions) & mask;
  while (slots_[slot] != 0 &&
         !std::ranges::equal(recording_->positions_of(slots_[slot] - 1), positions)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::optional<std::size_t> RecordingIndex::find(std::span<const std::uint32_t> positions) const {
  const std::uint32_t found = slots_[slot_of(positions)];
  if (found == 0) return std::nullopt;
  return found - 1;
}

}  // namespace tuner
