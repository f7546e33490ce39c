// Answers questions from a recording and advances a simulated clock.

#include "tuner/exchange/replay.h"

#include <algorithm>
#include <cmath>

namespace tuner {

RecordedSpace::RecordedSpace(const Recording& recording)
    : recording_(&recording), index_(recording) {
  for (const Parameter& parameter : recording.parameters) ordered_.push_back(parameter.ordered());
}

void RecordedSpace::positions(ConfigIndex index, std::span<std::uint32_t> out) const {
  std::ranges::copy(recording_->positions_of(static_cast<std::size_t>(index)), out.begin());
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

Trial replayed_trial(const Recording& recording, ConfigIndex index) {
  const auto at = static_cast<std::size_t>(index);
  const RecordedTrial& entry = recording.entries[at];
  Trial trial;
  trial.index = index;
  trial.configuration = recording.configuration(at);
  trial.state = entry.state;
  if (entry.state == TrialState::kOk) {
    trial.objective = SearchFigure(entry.objective);
    const auto samples = recording.samples_of(at);
    trial.timing.samples.assign(samples.begin(), samples.end());
  } else {
    trial.message = "recorded as failed";
  }
  if (!std::isnan(entry.cost_seconds)) trial.cost_seconds = entry.cost_seconds;
  return trial;
}

ReplayEvaluator::ReplayEvaluator(const Recording& recording, std::size_t capacity)
    : recording_(&recording), capacity_(capacity) {
  for (const RecordedTrial& entry : recording.entries) {
    has_costs_ = has_costs_ || !std::isnan(entry.cost_seconds);
  }
}

std::optional<Trial> ReplayEvaluator::next(double until) {
  if (waiting_.empty()) return std::nullopt;
  Trial trial = replayed_trial(*recording_, waiting_.front());
  if (!has_costs_) trial.cost_seconds = 1;
  const double end = free_at_ + trial.cost_seconds;
  if (end > until) {
    now_ = std::max(now_, until);
    return std::nullopt;
  }
  waiting_.pop_front();
  now_ = free_at_ = end;
  return trial;
}

}  // namespace tuner
