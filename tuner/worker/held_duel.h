#pragma once
// A final on one device, without those that fail in it.

#include <functional>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/model/trial.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// samples[i][round] of trials[i], whose plans are `variants`. One that fails gets its state and
// message and no samples, and the others go on without it. Empty when the final could not be held.
// `rounds` is told how many are done, of how many, and may be empty.
std::vector<std::vector<double>> hold_duel(RunWorker& worker, std::vector<VariantPlan> variants,
                                           std::vector<Trial>& trials, const FinalPlan& plan,
                                           const RunWorker::IsOver& is_over,
                                           const std::function<void(int, int)>& rounds);

}  // namespace tuner
