// Takes a search's figure out of a trial.

#include "tuner/engine/search_cost.h"

#include "tuner/engine/objective.h"

namespace tuner {

double search_cost_of(const ObjectiveSpec& objective, const Trial& trial) {
  if (!trial.search_objective) return cost_of(objective, trial);
  const double value = *trial.search_objective;
  return objective.maximize ? 1 / value : value * (objective.name == "time" ? 1e3 : 1);
}

}  // namespace tuner
