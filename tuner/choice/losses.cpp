// Compares a trial with the winner of its size.

#include "tuner/choice/losses.h"

#include <algorithm>
#include <cmath>

#include "tuner/search/baseline.h"

namespace tuner {
namespace {

double plain_loss(const Study& study, const Trial& best, const Trial& trial) {
  return speedup_over(study.objective, trial, best, study.measure.confidence).ratio - 1;
}

}  // namespace

double loss_of(const Study& study, const RankedResults& results, const Trial& trial) {
  const Trial& best = results.trials.front();
  if (&trial == &best) return 0;
  const double loss = plain_loss(study, best, trial);
  if (!std::isnan(loss) || !best.final) return std::max(0.0, loss);
  double most = 0;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const Trial& other = results.trials[i];
    const double least = plain_loss(study, other.final ? best : other, other.final ? other : trial);
    if (least > most) most = least;
  }
  return most;
}

}  // namespace tuner
