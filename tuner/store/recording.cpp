// Looks configurations of a recording up.

#include "tuner/store/recording.h"

#include <algorithm>

#include "tuner/base/hash.h"

namespace tuner {
namespace {

std::uint64_t hash_of_positions(std::span<const std::uint32_t> positions) {
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

RecordingIndex::RecordingIndex(const Recording& recording) : recording_(&recording) {
  entries_.reserve(recording.entries.size());
  for (std::size_t e = 0; e < recording.entries.size(); ++e) {
    entries_.emplace(hash_of_positions(recording.positions_of(e)), static_cast<std::uint32_t>(e));
  }
}

std::optional<std::size_t> RecordingIndex::find(std::span<const std::uint32_t> positions) const {
  const auto [first, last] = entries_.equal_range(hash_of_positions(positions));
  for (auto it = first; it != last; ++it) {
    if (std::ranges::equal(recording_->positions_of(it->second), positions)) return it->second;
  }
  return std::nullopt;
}

}  // namespace tuner
