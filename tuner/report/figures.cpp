// Tells search and final figures apart.

#include "tuner/report/figures.h"

namespace tuner {
namespace {

// Of a finalist that an older program stored the median alone is known, or no time at all.
std::optional<Reading> figure_of_search(const Trial& trial, const ObjectiveSpec& objective) {
  if (objective.name != "time") {
    const double value = trial.objective.value();
    return Reading{value, value, value};
  }
  const Timing& timing = trial.timing;
  if (!is_time(timing.median)) return std::nullopt;
  if (!is_time(timing.ci_low)) return Reading{timing.median, timing.median, timing.median};
  return Reading{timing.median, timing.ci_low, timing.ci_high};
}

Reading figure_of_final(const FinalResult& final, const ObjectiveSpec& objective) {
  if (objective.name != "time") {
    const double value = final.objective.value();
    return {value, value, value};
  }
  return {final.median_ms.value(), final.ci_low_ms.value(), final.ci_high_ms.value()};
}

}  // namespace

Figures figures_of(const Trial& trial, const ObjectiveSpec& objective) {
  if (trial.state != TrialState::kOk && trial.state != TrialState::kDropped) return {};
  Figures figures{figure_of_search(trial, objective), std::nullopt};
  if (trial.final) figures.final_round = figure_of_final(*trial.final, objective);
  return figures;
}

const NamedNumbers& search_metrics(const Trial& trial) { return trial.metrics; }

const NamedNumbers& final_metrics(const Trial& trial) {
  static const NamedNumbers none;
  return trial.final ? trial.final->metrics : none;
}

std::optional<Reading> ranking_figure(const Trial& trial, const ObjectiveSpec& objective) {
  const Figures figures = figures_of(trial, objective);
  return figures.final_round ? figures.final_round : figures.search;
}

}  // namespace tuner
