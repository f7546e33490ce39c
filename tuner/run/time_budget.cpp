// Divides a budget's seconds.

#include "tuner/run/time_budget.h"

#include <algorithm>

#include "tuner/ports/evaluator.h"

namespace tuner {

double TimeBudget::for_writing() const {
  const double seconds = seconds_.value_or(0);
  return std::min(0.1 + 0.01 * seconds, 0.1 * seconds);
}

double TimeBudget::end() const { return seconds_ ? *seconds_ - for_writing() : kNoEnd; }

double TimeBudget::reserve(const FinalEstimate& final, bool has_final) const {
  constexpr double kForAllRounds = 0.15;
  constexpr double kForFewest = 0.25;
  if (!seconds_) return 0;
  const double fewest = final.fewest_seconds();
  if (!has_final || fewest > kForFewest * *seconds_) return for_writing();
  return for_writing() + std::min(final.seconds(), std::max(fewest, kForAllRounds * *seconds_));
}

}  // namespace tuner
