#pragma once
// How much is promised by a prediction.

#include <Eigen/Dense>

namespace tuner::strategies {

struct Acquisition {
  enum class Kind { kExpectedImprovement, kProbability, kConfidenceBound };
  Kind kind = Kind::kExpectedImprovement;
  double margin = 0;   // improvements below this many deviations do not count
  double kappa = 1.5;  // deviations, for the confidence bound
};

// Logarithm of the normal distribution function.
double log_normal_tail(double u);

// Logarithm of expected improvement below `best`, in the unit of `deviation`; exact far into the
// tail, where the improvement itself would be zero.
double log_expected_improvement(double mean, double deviation, double best);

// Larger is better; only the order means something.
Eigen::ArrayXf merit(const Acquisition& how, const Eigen::ArrayXf& mean,
                     const Eigen::ArrayXf& deviation, double best);

}  // namespace tuner::strategies
