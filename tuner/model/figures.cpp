// Tells search and final figures apart.

#include "tuner/model/figures.h"

#include <cmath>

namespace tuner {
namespace {

// Leaves out the interval where a file does not contain one.
MeasuredFigure with_interval(double value, double low, double high) {
  return low > 0 ? MeasuredFigure{value, low, high} : MeasuredFigure{value, value, value};
}

// Returns the figure of the search, which a file may lack for a finalist.
std::optional<MeasuredFigure> searched(const Trial& trial, const ObjectiveSpec& objective) {
  if (objective.name != "time") {
    const double value = trial.objective.value();
    if (std::isnan(value)) return std::nullopt;
    return MeasuredFigure{value, value, value};
  }
  const Timing& timing = trial.timing;
  if (trial.final && !is_time(timing.median)) return std::nullopt;
  return with_interval(timing.median, timing.ci_low, timing.ci_high);
}

std::optional<MeasuredFigure> finished(const Trial& trial, const ObjectiveSpec& objective) {
  if (!trial.final) return std::nullopt;
  if (objective.name != "time") {
    const double value = trial.final->objective.value();
    return MeasuredFigure{value, value, value};
  }
  return with_interval(trial.final->median_ms.value(), trial.final->ci_low_ms.value(),
                       trial.final->ci_high_ms.value());
}

}  // namespace

Figures figures_of(const Trial& trial, const ObjectiveSpec& objective) {
  if (!is_valid(trial)) return {};
  return {searched(trial, objective), finished(trial, objective)};
}

std::optional<MeasuredFigure> ranking_figure(const Trial& trial, const ObjectiveSpec& objective) {
  const Figures figures = figures_of(trial, objective);
  return figures.final_round ? figures.final_round : figures.search;
}

}  // namespace tuner
