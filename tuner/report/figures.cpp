// Tells search and final figures apart.

#include "tuner/report/figures.h"

namespace tuner {
namespace {

Figure figure_now(const Trial& trial, const ObjectiveSpec& objective) {
  if (objective.name != "time") return {trial.objective, trial.objective, trial.objective};
  return {trial.timing.median, trial.timing.ci_low, trial.timing.ci_high};
}

// Of a finalist the store keeps what it was chosen by, and no interval.
std::optional<Figure> figure_before(const Trial& trial, const ObjectiveSpec& objective) {
  if (!trial.search_objective) return std::nullopt;
  const double value = *trial.search_objective * (objective.name == "time" ? 1000 : 1);
  return Figure{value, value, value};
}

}  // namespace

Figures figures_of(const Trial& trial, const ObjectiveSpec& objective) {
  if (trial.state != TrialState::kOk && trial.state != TrialState::kDropped) return {};
  if (trial.final_samples.empty()) return {figure_now(trial, objective), std::nullopt};
  return {figure_before(trial, objective), figure_now(trial, objective)};
}

std::optional<Figure> ranking_figure(const Trial& trial, const ObjectiveSpec& objective) {
  const Figures figures = figures_of(trial, objective);
  return figures.final_round ? figures.final_round : figures.search;
}

}  // namespace tuner
