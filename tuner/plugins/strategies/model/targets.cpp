// Shapes results for a surrogate (targets.h).

#include "tuner/plugins/strategies/model/targets.h"

#include <algorithm>
#include <cmath>

namespace tuner::strategies {
namespace {

bool take_logarithms(std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  if (low <= 0 && high >= 0) return false;
  for (double& value : values) value = value > 0 ? std::log(value) : -std::log(-value);
  return true;
}

}  // namespace

ShapedValues shaped(const std::vector<double>& values, const TargetShape& shape) {
  std::vector<double> valid;
  for (const double value : values) {
    if (value < kInfinity) valid.push_back(value);
  }
  ShapedValues out{Eigen::VectorXf::Zero(static_cast<Eigen::Index>(values.size()))};
  if (valid.empty()) return out;
  out.logarithms = take_logarithms(valid);
  std::vector<double> sorted = valid;
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  const double worst = median + shape.flatten * (sorted.back() - median);
  const double failed = median + shape.failure * (worst - median);
  auto next = valid.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = failed;
    if (values[i] < kInfinity) {
      value = *next++;
      if (value > median) value = median + shape.flatten * (value - median);
    }
    out.values[static_cast<Eigen::Index>(i)] = static_cast<float>(value);
  }
  return out;
}

Eigen::VectorXf standardised(Eigen::VectorXf values) {
  if (values.size() == 0) return values;
  values.array() -= values.mean();
  const float deviation = std::sqrt(values.squaredNorm() / static_cast<float>(values.size()));
  if (deviation > 1e-9F) {
    values /= deviation;
  } else {
    values.setZero();
  }
  return values;
}

std::vector<double> values_of(const std::vector<History::Entry>& entries) {
  std::vector<double> values;
  values.reserve(entries.size());
  for (const auto& entry : entries) values.push_back(entry.value);
  return values;
}

Eigen::VectorXf targets_of(const std::vector<History::Entry>& entries, const TargetShape& shape) {
  return standardised(shaped(values_of(entries), shape).values);
}

}  // namespace tuner::strategies
