#pragma once
// The figure by which configurations are compared across sizes.

#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// What a valid trial costs as the search measured it, like cost_of(). Every trial has it, so that
// finalists and others are compared by the same kind of figure; a final's is another kind.
double search_cost_of(const ObjectiveSpec& objective, const Trial& trial);

}  // namespace tuner
