#pragma once
// Results as a surrogate should see them.

#include <Eigen/Dense>
#include <vector>

#include "tuner/plugins/strategies/parts/history.h"

namespace tuner::strategies {

struct TargetShape {
  double flatten = 0.5;  // slope above the median, where details do not matter
  double failure = 1.0;  // place of failures: 0 at the median, 1 at the worst valid value
};

struct ShapedValues {
  Eigen::VectorXf values;
  bool logarithms = false;
};

// Small is good; infinity: it failed. Logarithms where all valid values have one sign (of negative
// ones, which come from maximising, minus that of their size), flattened above the median.
ShapedValues shaped(const std::vector<double>& values, const TargetShape& shape);

// Mean 0 and variance 1; all 0 when they do not differ.
Eigen::VectorXf standardised(Eigen::VectorXf values);

std::vector<double> values_of(const std::vector<History::Entry>& entries);

// All of the above.
Eigen::VectorXf targets_of(const std::vector<History::Entry>& entries, const TargetShape& shape);

}  // namespace tuner::strategies
