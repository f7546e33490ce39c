// Counts the trials of searches.

#include "tuner/commands/search_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tuner/base/terminal_text.h"
#include "tuner/resolve/objective.h"
#include "tuner/results/ranked_table.h"

namespace tuner {
namespace {

// A rate is said of so many measured ones or more.
constexpr double kFewestMeasured = 3;

std::string counts_text(const std::array<std::size_t, kTrialStates>& states, std::size_t recalled) {
  std::string text;
  for (std::size_t state = 0; state < states.size(); ++state) {
    if (states[state] == 0) continue;
    text += fmt::format("  {} {}", states[state], shown_name(static_cast<TrialState>(state)));
  }
  if (recalled > 0) text += fmt::format("  ({} from the store)", recalled);
  return text;
}

std::string pace_text(double rate, const std::optional<double>& remaining) {
  std::string text;
  if (rate > 0) text += fmt::format("  {:.3g}/s", rate);
  if (remaining) text += "  ETA " + duration_text(*remaining);
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e8) return "?";
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

SearchTally::SearchTally(const RunPart& part, const Study& study)
    : study_(&study),
      total_text_(part.total),
      total_(std::strtod(part.total.c_str(), nullptr)),
      seconds_(part.seconds) {}

void SearchTally::add(const Trial& trial) {
  ++done_;
  if (trial.from_store) ++recalled_;
  ++states_.at(static_cast<std::size_t>(trial.state));
  if (trial.state == TrialState::kOk &&
      (!best_ || better(study_->objective, trial.objective, best_->objective))) {
    best_ = trial;
  }
}

double SearchTally::rate(double seconds) const {
  return fresh() >= kFewestMeasured && seconds > 0 ? fresh() / seconds : 0;
}

std::optional<double> SearchTally::remaining(double seconds) const {
  const double open = total_ - static_cast<double>(done_);
  if (total_ > 0 && open <= 0) return std::nullopt;  // nothing is left to do
  std::optional<double> left;
  if (fresh() >= kFewestMeasured && open > 0) left = seconds / fresh() * open;
  if (!seconds_) return left;
  const double granted = std::max(0.0, *seconds_ - seconds);
  return std::min(granted, left.value_or(granted));
}

std::string SearchTally::text(double seconds) const {
  std::string text = fmt::format("{}/{}", done_, total_text_);
  if (best_) {
    text += study_->objective.name == "time"
                ? fmt::format("  best {:.4g} ms", best_->timing.median)
                : fmt::format("  best {} {:.5g}", study_->objective.name, best_->objective.value());
  }
  text += counts_text(states_, recalled_) + pace_text(rate(seconds), remaining(seconds));
  if (best_) {
    text += "  " + for_terminal(configuration_text(study_->parameters, best_->configuration));
  }
  return text;
}

void TallySum::add(const SearchTally& search, double seconds) {
  ++searches;
  done += search.done_;
  recalled += search.recalled_;
  total += search.total_;
  rate += search.rate(seconds);
  if (const auto left = search.remaining(seconds)) {
    remaining = std::max(*left, remaining.value_or(0));
  }
  for (std::size_t state = 0; state < states.size(); ++state)
    states[state] += search.states_[state];
}

std::string TallySum::text() const {
  return fmt::format("{} sizes: {}/{:.15g}", searches, done, total) +
         counts_text(states, recalled) + pace_text(rate, remaining);
}

}  // namespace tuner
