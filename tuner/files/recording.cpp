// Looks configurations of a recording up, and makes trials and prior knowledge of its entries.

#include "tuner/files/recording.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

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

// Finds each parameter's place in the recording; empty: it is not recorded and has one value.
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
    // The recorded time counts, whether it is a mean or a median.
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

namespace {

constexpr double kFailedLoss = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNotThere = std::numeric_limits<std::uint32_t>::max();

// Place of a parameter in the recording, and the positions here of its recorded values.
struct Match {
  std::optional<std::size_t> recorded;  // empty: not recorded, it has one value
  std::vector<std::uint32_t> here;      // by recorded position
};

std::optional<Match> match_of(const Parameter& wanted, const std::vector<Parameter>& recorded) {
  const auto found = std::ranges::find(recorded, wanted.name, &Parameter::name);
  if (found == recorded.end()) {
    return wanted.values.size() == 1 ? std::optional(Match{}) : std::nullopt;
  }
  Match match{static_cast<std::size_t>(found - recorded.begin()), {}};
  for (const Value& value : found->values) {
    const auto same = std::ranges::find_if(
        wanted.values, [&](const Value& other) { return same_value(value, other); });
    match.here.push_back(same == wanted.values.end()
                             ? kNotThere
                             : static_cast<std::uint32_t>(same - wanted.values.begin()));
  }
  return match;
}

std::optional<ConfigIndex> index_here(const std::vector<Match>& matches,
                                      std::span<const std::uint32_t> recorded,
                                      const PriorTarget& target) {
  std::vector<std::uint32_t> positions;
  for (const Match& match : matches) {
    positions.push_back(match.recorded ? match.here[recorded[*match.recorded]] : 0);
    if (positions.back() == kNotThere) return std::nullopt;
  }
  return target.index_of(positions);
}

// Entries' losses; empty when the objectives have no ratio. The best counts wherever it lies, also
// outside of the space that is searched now.
std::vector<double> losses_of(const Recording& recording, bool maximize) {
  std::vector<double> values;
  double best = kFailedLoss;
  double worst = -kFailedLoss;
  for (const RecordedTrial& entry : recording.entries) {
    const bool valid = entry.state == TrialState::kOk && std::isfinite(entry.objective);
    values.push_back(!valid ? kFailedLoss : maximize ? -entry.objective : entry.objective);
    if (!valid) continue;
    best = std::min(best, values.back());
    worst = std::max(worst, values.back());
  }
  if (best == kFailedLoss || (best <= 0 && worst >= 0)) return {};
  for (double& value : values) {
    if (value != kFailedLoss) value = best > 0 ? std::log(value / best) : std::log(best / value);
  }
  return values;
}

}  // namespace

Prior prior_of(const Recording& recording, bool maximize, const PriorTarget& target,
               double likeness) {
  Prior prior{likeness, {}};
  std::vector<Match> matches;
  for (const Parameter& parameter : target.parameters) {
    auto match = match_of(parameter, recording.parameters);
    if (!match) return prior;
    matches.push_back(std::move(*match));
  }
  const std::vector<double> losses = losses_of(recording, maximize);
  std::map<ConfigIndex, double> by_index;
  for (std::size_t entry = 0; entry < losses.size(); ++entry) {
    const auto index = index_here(matches, recording.positions_of(entry), target);
    if (!index) continue;
    const auto [at, is_new] = by_index.emplace(*index, losses[entry]);
    if (!is_new) at->second = std::min(at->second, losses[entry]);
  }
  for (const auto& [index, loss] : by_index) prior.results.push_back({index, loss});
  return prior;
}

}  // namespace tuner
