// Looks configurations of a recording up, and makes trials of its entries.

#include "tuner/exchange/recording.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/model/statistics.h"

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

namespace {

constexpr double kConfidence = 0.95;

// Where each parameter of the space stands in the recording; empty: its only value.
std::vector<std::optional<std::size_t>> places(const Recording& recording,
                                               const std::vector<Parameter>& parameters) {
  std::vector<std::optional<std::size_t>> out;
  for (const Parameter& parameter : parameters) {
    const auto found = std::ranges::find(recording.parameters, parameter.name, &Parameter::name);
    if (found != recording.parameters.end()) {
      out.emplace_back(static_cast<std::size_t>(found - recording.parameters.begin()));
    } else if (parameter.values.size() == 1) {
      out.emplace_back(std::nullopt);
    } else {
      reject(recording.name, "parameter '" + parameter.name + "' is not in the recording");
    }
  }
  for (const Parameter& recorded : recording.parameters) {
    const auto known = std::ranges::find(parameters, recorded.name, &Parameter::name);
    if (known != parameters.end() || recorded.values.size() == 1) continue;
    reject(recording.name,
           "the recording varies '" + recorded.name + "', which is no parameter of the study");
  }
  return out;
}

// Some write numbers as text: then it is the space's value of that text.
Value value_for(const Parameter& parameter, const Value& recorded) {
  if (!std::holds_alternative<std::string>(recorded)) return recorded;
  for (const Value& value : parameter.values) {
    if (to_text(value) == to_text(recorded)) return value;
  }
  return recorded;
}

Trial trial_of(const Recording& recording, std::size_t entry, Configuration configuration) {
  const RecordedTrial& recorded = recording.entries[entry];
  Trial trial;
  trial.configuration = std::move(configuration);
  trial.state = recorded.state;
  if (!std::isnan(recorded.cost_seconds)) trial.cost_seconds = recorded.cost_seconds;
  if (recorded.state != TrialState::kOk) {
    trial.message = "failed in " + recording.name;
    return trial;
  }
  const auto samples = recording.samples_of(entry);
  if (!samples.empty()) {
    trial.timing = summarise({samples.begin(), samples.end()}, kConfidence);
  }
  if (recording.objective == "time") {
    // What the file calls the time counts, be it a mean or a median.
    trial.timing.median = recorded.objective;
    if (samples.empty()) {
      trial.timing.ci_low = trial.timing.ci_high = trial.timing.min = recorded.objective;
    }
    trial.objective = SearchFigure(recorded.objective / 1000);
  } else {
    trial.metrics.emplace_back(recording.objective, recorded.objective);
    trial.objective = SearchFigure(recorded.objective);
  }
  return trial;
}

}  // namespace

std::vector<Trial> trials_of(const Recording& recording) {
  std::vector<Trial> trials;
  for (std::size_t entry = 0; entry < recording.entries.size(); ++entry) {
    trials.push_back(trial_of(recording, entry, recording.configuration(entry)));
  }
  return trials;
}

std::vector<Trial> trials_of(const Recording& recording, const std::vector<Parameter>& parameters) {
  const auto order = places(recording, parameters);
  std::vector<Trial> trials;
  for (std::size_t entry = 0; entry < recording.entries.size(); ++entry) {
    const Configuration recorded = recording.configuration(entry);
    Configuration configuration;
    for (std::size_t p = 0; p < order.size(); ++p) {
      configuration.push_back(order[p] ? value_for(parameters[p], recorded[*order[p]])
                                       : parameters[p].values.front());
    }
    trials.push_back(trial_of(recording, entry, std::move(configuration)));
  }
  return trials;
}

}  // namespace tuner
