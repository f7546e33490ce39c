// The Matern 5/2 covariance with tabulated distances (covariance.h).

#include "tuner/plugins/strategies/model/covariance.h"

#include <cmath>

namespace tuner::strategies {
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

}  // namespace tuner::strategies
