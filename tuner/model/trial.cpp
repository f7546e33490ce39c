// The names of the trial states.

#include "tuner/model/trial.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tuner {
namespace {

constexpr std::array<std::string_view, kTrialStates> kNames{
    "ok",      "constraints", "compile", "launch", "runtime",
    "timeout", "correctness", "dropped", "suspect"};

}  // namespace

std::string_view name_of(TrialState state) { return kNames.at(static_cast<std::size_t>(state)); }

std::optional<TrialState> trial_state_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<TrialState>(i);
  }
  return std::nullopt;
}

bool is_time(double milliseconds) {
  return std::isfinite(milliseconds) && milliseconds >= kLeastMilliseconds;
}

std::uint64_t sample_count(const Timing& timing) {
  return timing.samples.empty() ? timing.counted : timing.samples.size();
}

Shown shown(const Trial& trial) {
  if (!trial.final) {
    const Timing& timing = trial.timing;
    return {
        false,         timing.median,          timing.ci_low, timing.ci_high, sample_count(timing),
        trial.metrics, trial.objective.value()};
  }
  const FinalResult& final = *trial.final;
  return {true,
          final.median_ms.value(),
          final.ci_low_ms.value(),
          final.ci_high_ms.value(),
          final.samples.size(),
          final.metrics,
          final.objective.value()};
}

std::optional<double> share_of_limit(const Trial& trial) {
  if (!is_valid(trial) || !trial.limit) return std::nullopt;
  const double ms = shown(trial).median_ms;
  if (!is_time(ms)) return std::nullopt;
  return trial.limit->ms / ms;
}

std::string share_text(const Trial& trial) {
  const auto share = share_of_limit(trial);
  return share ? fmt::format("{:.3g}% {}", 100 * *share, trial.limit->of) : std::string();
}

std::string configuration_text(const std::vector<Parameter>& parameters,
                               const Configuration& configuration) {
  std::string text;
  for (std::size_t i = 0; i < parameters.size() && i < configuration.size(); ++i) {
    if (i > 0) text += ' ';
    text += parameters[i].name + "=" + to_text(configuration[i]);
  }
  return text;
}

}  // namespace tuner
