#pragma once
// A Gaussian process over configurations, and how much its predictions promise.

#include <Eigen/Dense>
#include <vector>

#include "tuner/plugins/strategies/model/encoding.h"

namespace tuner::strategies {

// ---- how alike two configurations are expected to be --------------------------------------------

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

// ---- the process --------------------------------------------------------------------------------

// Most probable parameters (with weak priors) for these values, found by a random descent from
// `start`; values must be scaled to mean 0 and variance 1.
CovarianceParameters fit_covariance(const Encoding& encoding, const std::vector<Point>& points,
                                    const Eigen::VectorXf& values,
                                    const CovarianceParameters& start, int steps, Rng& rng);

CovarianceParameters prior_covariance(const Encoding& encoding);

class GaussianProcess {
 public:
  GaussianProcess(const Encoding& encoding, CovarianceParameters parameters);

  const CovarianceParameters& parameters() const { return covariance_.parameters(); }
  std::size_t points() const { return points_.size(); }
  std::size_t candidates() const { return static_cast<std::size_t>(explained_.size()); }

  void add_point(const Point& point);
  // All candidates at once; before or after points.
  void set_candidates(const std::vector<Point>& candidates);
  void replace_candidate(std::size_t candidate, const Point& point);

  // Share of the prior variance that is left at each candidate.
  Eigen::ArrayXf variance() const { return (1 - explained_).max(1e-6F); }

  // The values in the order of the points, transformed for predict_mean(). A point whose answer is
  // outstanding (`open`) is taken to be what the points before it predict.
  Eigen::VectorXf whiten(const Eigen::VectorXf& values, const std::vector<bool>& open) const;
  // Mean at each candidate, for whitened values.
  Eigen::ArrayXf predict_mean(const Eigen::VectorXf& whitened) const;
  // Predicts the mean at any places, without variances: O(points) for each place, given weights().
  Eigen::ArrayXf mean_at(const std::vector<Point>& places, const Eigen::VectorXf& of_points) const;
  Eigen::VectorXf weights(const Eigen::VectorXf& whitened) const;

 private:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  void reserve(Eigen::Index rows);
  void project_last();

  Covariance covariance_;
  std::vector<Point> points_;
  Rows factor_;                                     // lower Cholesky factor of the points' kernel
  Rows projections_;                                // factor^-1 * kernel(points, candidates)
  std::vector<std::vector<std::uint8_t>> columns_;  // candidates, parameter by parameter
  Eigen::ArrayXf explained_;                        // column sums of projections squared
};

// ---- acquisition --------------------------------------------------------------------------------

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
