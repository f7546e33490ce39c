// Answers questions from a recording and advances a simulated clock.

#include "tuner/store/replay.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"

namespace tuner {
namespace {

std::uint64_t hash_of(std::span<const std::uint32_t> positions) {
  std::uint64_t hash = positions.size();
  for (const std::uint32_t position : positions) hash = splitmix64(hash ^ position);
  return hash;
}

}  // namespace

RecordedSpace::RecordedSpace(const Recording& recording)
    : recording_(&recording), slots_(std::bit_ceil(2 * recording.entries.size() + 1), 0) {
  for (const Parameter& parameter : recording.parameters) ordered_.push_back(parameter.ordered());
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t entry = 0; entry < recording.entries.size(); ++entry) {
    std::size_t slot = hash_of(recording.positions_of(entry)) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(entry + 1);
  }
}

void RecordedSpace::positions(ConfigIndex index, std::span<std::uint32_t> out) const {
  std::ranges::copy(recording_->positions_of(static_cast<std::size_t>(index)), out.begin());
}

std::optional<ConfigIndex> RecordedSpace::index_of(std::span<const std::uint32_t> positions) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_of(positions) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t entry = slots_[slot] - 1;
    if (std::ranges::equal(recording_->positions_of(entry), positions)) return entry;
  }
  return std::nullopt;
}

void RecordedSpace::neighbours(std::span<const std::uint32_t> positions, Neighbourhood kind,
                               std::vector<ConfigIndex>& out) const {
  out.clear();
  std::vector<std::uint32_t> changed(positions.begin(), positions.end());
  for (std::size_t p = 0; p < changed.size(); ++p) {
    const auto count = static_cast<std::uint32_t>(recording_->parameters[p].values.size());
    const bool step = kind == Neighbourhood::kAdjacent && ordered_[p];
    const std::uint32_t at = positions[p];
    const std::uint32_t first = step ? (at == 0 ? 0 : at - 1) : 0;
    const std::uint32_t last = step ? std::min(count, at + 2) : count;
    for (std::uint32_t value = first; value < last; ++value) {
      if (value == at) continue;
      changed[p] = value;
      if (const auto index = index_of(changed)) out.push_back(*index);
    }
    changed[p] = at;
  }
}

namespace {

constexpr std::uint32_t kNotRecorded = std::numeric_limits<std::uint32_t>::max();

// Of each recorded parameter: which of the space's it is, and what its positions are called there.
struct Match {
  std::optional<std::size_t> parameter;    // empty: the only recorded value
  std::vector<std::uint32_t> recorded_as;  // by position in the space
};

Match match_of(const Parameter& recorded, const std::vector<Parameter>& parameters,
               const std::string& recording) {
  const auto found = std::ranges::find(parameters, recorded.name, &Parameter::name);
  if (found == parameters.end()) {
    if (recorded.values.size() == 1) return {};
    throw InputError(Complaint{
        {recording, 0, 0},
        "the recording varies '" + recorded.name + "', which is no parameter of the study",
        ""});
  }
  Match match{static_cast<std::size_t>(found - parameters.begin()), {}};
  for (const Value& value : found->values) {
    const auto same = std::ranges::find_if(
        recorded.values, [&](const Value& other) { return same_value(value, other); });
    match.recorded_as.push_back(same == recorded.values.end()
                                    ? kNotRecorded
                                    : static_cast<std::uint32_t>(same - recorded.values.begin()));
  }
  return match;
}

}  // namespace

std::function<std::optional<std::size_t>(ConfigIndex)> recorded_entries_of(
    const SearchSpace& space, const Recording& recording) {
  std::vector<Match> matches;
  for (const Parameter& parameter : recording.parameters) {
    matches.push_back(match_of(parameter, space.parameters(), recording.name));
  }
  for (const Parameter& parameter : space.parameters()) {
    const bool recorded = std::ranges::find(recording.parameters, parameter.name,
                                            &Parameter::name) != recording.parameters.end();
    if (recorded || parameter.values.size() == 1) continue;
    throw InputError(Complaint{
        parameter.where,
        "parameter '" + parameter.name + "' is not in the recording '" + recording.name + "'", ""});
  }
  return [&space, matches, entries = RecordingIndex(recording)](ConfigIndex index) {
    std::vector<std::uint32_t> asked(space.parameters().size());
    space.positions(index, asked);
    std::vector<std::uint32_t> recorded;
    for (const Match& match : matches) {
      recorded.push_back(match.parameter ? match.recorded_as[asked[*match.parameter]] : 0);
    }
    return entries.find(recorded);
  };
}

ReplayEvaluator::ReplayEvaluator(const Recording& recording, std::size_t capacity, Lookup lookup)
    : recording_(&recording), capacity_(capacity), lookup_(std::move(lookup)) {
  for (const RecordedTrial& entry : recording.entries) {
    has_costs_ = has_costs_ || !std::isnan(entry.cost_seconds);
  }
}

std::optional<Trial> ReplayEvaluator::next() {
  if (waiting_.empty()) return std::nullopt;
  Trial trial;
  trial.index = waiting_.front();
  waiting_.pop_front();
  const auto found = lookup_ ? lookup_(trial.index)
                             : std::optional<std::size_t>(static_cast<std::size_t>(trial.index));
  if (!found || *found >= recording_->entries.size()) {
    trial.state = TrialState::kConstraints;
    trial.message = "not in the recording";
    return trial;
  }
  const RecordedTrial& entry = recording_->entries[*found];
  trial.configuration = recording_->configuration(*found);
  trial.state = entry.state;
  if (entry.state == TrialState::kOk) {
    trial.objective = entry.objective;
    const auto samples = recording_->samples_of(*found);
    trial.timing.samples.assign(samples.begin(), samples.end());
  } else {
    trial.message = "recorded as failed";
  }
  trial.cost_seconds = !has_costs_                      ? 1.0
                       : std::isnan(entry.cost_seconds) ? 0.0
                                                        : entry.cost_seconds;
  now_ += trial.cost_seconds;
  return trial;
}

}  // namespace tuner
