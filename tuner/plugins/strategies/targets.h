#pragma once
// Results as a surrogate should see them.

#include <Eigen/Dense>
#include <vector>

#include "tuner/plugins/strategies/history.h"

namespace tuner::strategies {

struct TargetShape {
  double flatten = 0.5;  // slope above the median, where details do not matter
  double failure = 1.0;  // place of failures: 0 at the median, 1 at the worst valid value
};

// One value for each entry, mean 0 and variance 1 (all 0 when they do not differ): logarithms where
// all values are positive, flattened above the median. Small is good.
Eigen::VectorXf targets_of(const std::vector<History::Entry>& entries, const TargetShape& shape);

}  // namespace tuner::strategies
