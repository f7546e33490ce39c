// Turns a recording into prior knowledge for another space.

#include "tuner/exchange/prior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tuner {
namespace {

constexpr double kFailedLoss = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNotThere = std::numeric_limits<std::uint32_t>::max();

// Where a parameter of the space is in the recording, and what its recorded positions are here.
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
