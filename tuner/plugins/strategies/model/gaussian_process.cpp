// The arithmetic of a Gaussian process that grows by one point at a time, and acquisition
// functions.

#include "tuner/plugins/strategies/model/gaussian_process.h"

#include <algorithm>
#include <cmath>

namespace tuner::strategies {

// ---- the Matern 5/2 covariance, with tabulated distances ----------------------------------------

namespace {

constexpr float kSqrt5 = 2.23606798F;

// Rasmussen and Williams 2006, equation 4.17, of a distance whose coordinates are divided by their
// lengths. Its functions can be differentiated twice: they are less smooth than those of the
// squared exponential, which would promise too much beyond what was measured.
float matern(float squared_distance) {
  const float r = kSqrt5 * std::sqrt(squared_distance);
  return (1 + r + r * r / 3) * std::exp(-r);
}

}  // namespace

Covariance::Covariance(const Encoding& encoding, CovarianceParameters parameters)
    : parameters_(std::move(parameters)),
      noise_(static_cast<float>(std::exp(parameters_.log_noise))) {
  for (std::size_t p = 0; p < encoding.parameters(); ++p) {
    sizes_.push_back(encoding.size_of(p));
    tables_.emplace_back(sizes_.back() * sizes_.back(), 0.0F);
  }
  for (std::size_t c = 0; c < encoding.coordinates().size(); ++c) {
    const Coordinate& coordinate = encoding.coordinates()[c];
    const double length = std::exp(parameters_.log_lengths[c]);
    const std::size_t size = sizes_[coordinate.parameter];
    for (std::size_t i = 0; i < size * size; ++i) {
      const std::size_t a = i / size;
      const std::size_t b = i % size;
      const double apart = coordinate.place.empty() ? (a == b ? 0.0 : 1.0)
                                                    : coordinate.place[a] - coordinate.place[b];
      tables_[coordinate.parameter][i] += static_cast<float>(apart * apart / (length * length));
    }
  }
}

float Covariance::between(const Point& a, const Point& b) const {
  float squared = 0;
  for (std::size_t p = 0; p < sizes_.size(); ++p) squared += tables_[p][a[p] * sizes_[p] + b[p]];
  return matern(squared);
}

// Parameter by parameter over all points, so that the compiler can make vector instructions of it.
void Covariance::against(const Point& a, const std::vector<std::vector<std::uint8_t>>& columns,
                         Eigen::Ref<Eigen::ArrayXf> out) const {
  out.setZero();
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    const float* const row = &tables_[p][a[p] * sizes_[p]];
    const std::uint8_t* const column = columns[p].data();
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] += row[column[i]];
  }
  out = kSqrt5 * out.sqrt();
  out = (1 + out + out * out / 3) * (-out).exp();
}

// ---- the process --------------------------------------------------------------------------------

namespace {

constexpr float kJitter = 1e-4F;   // on the diagonal: float would lose a nearly singular matrix
constexpr double kLengthMean = 0;  // priors of the logarithms: mean and standard deviation
constexpr double kLengthDeviation = 1;
constexpr double kNoiseMean = -5;
constexpr double kNoiseDeviation = 2;

double squared(double x) { return x * x; }

// Negative log posterior of the parameters, up to a constant: the marginal likelihood (Rasmussen
// and Williams 2006, equation 5.8) and weak normal priors on the logarithms, without which few
// results would make lengths run to their bounds. The variance of the signal need not be searched
// for: given the others its best is fit / n, which put into the likelihood leaves n / 2 * log(fit /
// n). Half the log determinant is the sum over the factor's diagonal.
double badness(const Encoding& encoding, const std::vector<Point>& points,
               const Eigen::VectorXf& values, const CovarianceParameters& parameters) {
  const Covariance kernel(encoding, parameters);
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXf matrix(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) {
      matrix(i, j) =
          kernel.between(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
    }
    matrix(j, j) += kernel.noise() + kJitter;
  }
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXf>> factor(matrix);
  if (factor.info() != Eigen::Success) return kInfinity;
  const double fit = factor.matrixL().solve(values).squaredNorm();
  const double count = static_cast<double>(n);
  double total = 0.5 * count * std::log(fit / count);
  for (Eigen::Index i = 0; i < n; ++i) total += std::log(matrix(i, i));
  for (const double length : parameters.log_lengths) {
    total += 0.5 * squared((length - kLengthMean) / kLengthDeviation);
  }
  return total + 0.5 * squared((parameters.log_noise - kNoiseMean) / kNoiseDeviation);
}

// A random step instead of a gradient: a few dozen evaluations are enough for parameters that need
// not be exact, and the likelihood of value positions has flat stretches and several optima.
CovarianceParameters changed(CovarianceParameters parameters, Rng& rng) {
  constexpr double kStep = 0.7;
  const std::size_t count = parameters.log_lengths.size();
  if (rng.chance(0.5)) {  // one of them, boldly
    const std::size_t which = rng.below(count + 1);
    if (which == count) {
      parameters.log_noise += 2 * kStep * rng.normal();
    } else {
      parameters.log_lengths[which] += 1.5 * kStep * rng.normal();
    }
  } else {
    for (double& length : parameters.log_lengths) {
      if (rng.chance(0.4)) length += kStep * rng.normal();
    }
    if (rng.chance(0.3)) parameters.log_noise += kStep * rng.normal();
  }
  for (double& length : parameters.log_lengths) length = std::clamp(length, -3.0, 4.0);
  parameters.log_noise = std::clamp(parameters.log_noise, -9.0, 1.0);
  return parameters;
}

std::vector<std::vector<std::uint8_t>> columns_of(const std::vector<Point>& points,
                                                  std::size_t parameters) {
  std::vector<std::vector<std::uint8_t>> columns(parameters);
  for (std::size_t p = 0; p < parameters; ++p) {
    columns[p].reserve(points.size());
    for (const Point& point : points) columns[p].push_back(point[p]);
  }
  return columns;
}

}  // namespace

CovarianceParameters prior_covariance(const Encoding& encoding) {
  return {std::vector<double>(encoding.coordinates().size(), kLengthMean), kNoiseMean};
}

CovarianceParameters fit_covariance(const Encoding& encoding, const std::vector<Point>& points,
                                    const Eigen::VectorXf& values,
                                    const CovarianceParameters& start, int steps, Rng& rng) {
  CovarianceParameters best = start;
  double least = badness(encoding, points, values, best);
  for (int step = 0; step < steps; ++step) {
    CovarianceParameters other = changed(best, rng);
    const double bad = badness(encoding, points, values, other);
    if (bad < least) {
      least = bad;
      best = std::move(other);
    }
  }
  return best;
}

GaussianProcess::GaussianProcess(const Encoding& encoding, CovarianceParameters parameters)
    : covariance_(encoding, std::move(parameters)) {
  columns_.resize(encoding.parameters());
}

void GaussianProcess::reserve(Eigen::Index rows) {
  if (rows <= factor_.rows()) return;
  const Eigen::Index room = std::max<Eigen::Index>(64, rows * 3 / 2);
  factor_.conservativeResizeLike(Rows::Zero(room, room));
  projections_.conservativeResize(room, explained_.size());
}

// One more row of the Cholesky factor: row = L^-1 * k, and on the diagonal the root of what is left
// of the point's own variance. O(n^2) where a new factor would take O(n^3).
void GaussianProcess::add_point(const Point& point) {
  const auto n = static_cast<Eigen::Index>(points_.size());
  reserve(n + 1);
  Eigen::VectorXf row(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    row[i] = covariance_.between(point, points_[static_cast<std::size_t>(i)]);
  }
  factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(row);
  const float left = 1 + covariance_.noise() + kJitter - row.squaredNorm();
  factor_.row(n).head(n) = row.transpose();
  factor_(n, n) = std::sqrt(std::max(left, kJitter));
  points_.push_back(point);
  project_last();
}

// Extends the forward substitution for all candidates at once by the new row; the variance left at
// a candidate is 1 minus the sum of its column's squares (Rasmussen and Williams 2006, 2.26).
void GaussianProcess::project_last() {
  if (explained_.size() == 0) return;
  const auto n = static_cast<Eigen::Index>(points_.size()) - 1;
  Eigen::ArrayXf values(explained_.size());
  covariance_.against(points_.back(), columns_, values);
  auto target = projections_.row(n);
  target = values.matrix().transpose();
  target.noalias() -= factor_.row(n).head(n) * projections_.topRows(n);
  target /= factor_(n, n);
  explained_ += target.transpose().array().square();
}

void GaussianProcess::set_candidates(const std::vector<Point>& candidates) {
  const auto n = static_cast<Eigen::Index>(points_.size());
  const auto count = static_cast<Eigen::Index>(candidates.size());
  columns_ = columns_of(candidates, columns_.size());
  reserve(n);
  projections_.resize(factor_.rows(), count);
  explained_ = Eigen::ArrayXf::Zero(count);
  if (n == 0 || count == 0) return;
  Eigen::ArrayXf values(count);
  for (Eigen::Index i = 0; i < n; ++i) {
    covariance_.against(points_[static_cast<std::size_t>(i)], columns_, values);
    projections_.row(i) = values.matrix().transpose();
  }
  auto block = projections_.topRows(n);
  factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(block);
  explained_ = block.colwise().squaredNorm().transpose().array();
}

void GaussianProcess::replace_candidate(std::size_t candidate, const Point& point) {
  const auto n = static_cast<Eigen::Index>(points_.size());
  const auto at = static_cast<Eigen::Index>(candidate);
  for (std::size_t p = 0; p < columns_.size(); ++p) columns_[p][candidate] = point[p];
  Eigen::VectorXf column(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    column[i] = covariance_.between(point, points_[static_cast<std::size_t>(i)]);
  }
  factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(column);
  projections_.col(at).head(n) = column;
  explained_[at] = column.squaredNorm();
}

// Forward substitution, L * out = values. With 0 for an open point the means are as if its answer
// were what the points before it predict, while its row still lessens the variance around it: a
// batch spreads out without an invented answer (Ginsbourger, Le Riche and Carraro 2010, "kriging
// believer").
Eigen::VectorXf GaussianProcess::whiten(const Eigen::VectorXf& values,
                                        const std::vector<bool>& open) const {
  Eigen::VectorXf out(values.size());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const float known = factor_.row(i).head(i).dot(out.head(i));
    out[i] = open[static_cast<std::size_t>(i)] ? 0 : (values[i] - known) / factor_(i, i);
  }
  return out;
}

// k^T K^-1 y = (L^-1 k)^T (L^-1 y): both are at hand.
Eigen::ArrayXf GaussianProcess::predict_mean(const Eigen::VectorXf& whitened) const {
  return (whitened.transpose() * projections_.topRows(whitened.size())).transpose().array();
}

Eigen::VectorXf GaussianProcess::weights(const Eigen::VectorXf& whitened) const {
  const auto n = static_cast<Eigen::Index>(points_.size());
  return factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().transpose().solve(whitened);
}

Eigen::ArrayXf GaussianProcess::mean_at(const std::vector<Point>& places,
                                        const Eigen::VectorXf& of_points) const {
  const auto columns = columns_of(places, columns_.size());
  Eigen::ArrayXf mean = Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(places.size()));
  Eigen::ArrayXf alike(mean.size());
  for (Eigen::Index i = 0; i < of_points.size(); ++i) {
    covariance_.against(points_[static_cast<std::size_t>(i)], columns, alike);
    mean += of_points[i] * alike;
  }
  return mean;
}

// ---- acquisition --------------------------------------------------------------------------------

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
