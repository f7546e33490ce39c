// Acquisition functions, computed so that they still tell candidates apart where both promise
// nearly nothing.

#include "tuner/plugins/strategies/model/acquisition.h"

#include <cmath>

namespace tuner::strategies {
namespace {

double log_normal_density(double u) { return -0.5 * u * u - 0.91893853320467274; }

}  // namespace

// Far to the left erfc() underflows; there the function is density / -u up to a relative error of
// 1 / u^2 (Abramowitz and Stegun 26.2.12).
double log_normal_tail(double u) {
  if (u > -8) return std::log(0.5 * std::erfc(-u * 0.70710678118654752));
  return log_normal_density(u) - std::log(-u);
}

// With u = (best - mean) / deviation the expected improvement is deviation * (density(u) + u *
// distribution(u)) (Jones, Schonlau and Welch 1998, equation 15). Once a model is sure of itself,
// most candidates have one below the smallest float: then all look alike, and the search picks
// blindly. Its logarithm keeps their order (Ament et al. 2023). Far to the left the two summands
// cancel; what is left of their expansion is density / u^2.
double log_expected_improvement(double mean, double deviation, double best) {
  const double u = (best - mean) / deviation;
  if (u < -8) return std::log(deviation) + log_normal_density(u) - 2 * std::log(-u);
  const double density = std::exp(log_normal_density(u));
  return std::log(deviation * (density + u * 0.5 * std::erfc(-u * 0.70710678118654752)));
}

Eigen::ArrayXf merit(const Acquisition& how, const Eigen::ArrayXf& mean,
                     const Eigen::ArrayXf& deviation, double best) {
  Eigen::ArrayXf out(mean.size());
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    const double sigma = deviation[i];
    const double goal = best - how.margin * sigma;
    switch (how.kind) {
      case Acquisition::Kind::kProbability:
        out[i] = static_cast<float>(log_normal_tail((goal - mean[i]) / sigma));
        break;
      case Acquisition::Kind::kConfidenceBound:
        out[i] = static_cast<float>(how.kappa * sigma - mean[i]);
        break;
      default:
        out[i] = static_cast<float>(log_expected_improvement(mean[i], sigma, goal));
    }
  }
  return out;
}

}  // namespace tuner::strategies
