#pragma once
// How alike two configurations are expected to be.

#include <Eigen/Dense>
#include <vector>

#include "tuner/plugins/strategies/model/encoding.h"

namespace tuner::strategies {

// Logarithms: of the length of each coordinate, and of the noise's share of the variance.
struct CovarianceParameters {
  std::vector<double> log_lengths;
  double log_noise = -5;
};

// Matern 5/2 with one length for each coordinate. Squared distances are tabulated by pairs of
// values, so that a kernel value costs one look-up for each parameter.
class Covariance {
 public:
  Covariance(const Encoding& encoding, CovarianceParameters parameters);

  const CovarianceParameters& parameters() const { return parameters_; }
  float noise() const { return noise_; }
  float between(const Point& a, const Point& b) const;

  // Values between `a` and many points, which are given parameter by parameter: columns[p][i].
  void against(const Point& a, const std::vector<std::vector<std::uint8_t>>& columns,
               Eigen::Ref<Eigen::ArrayXf> out) const;

 private:
  CovarianceParameters parameters_;
  float noise_;
  std::vector<std::size_t> sizes_;
  std::vector<std::vector<float>> tables_;  // squared distance of values, size * size
};

}  // namespace tuner::strategies
