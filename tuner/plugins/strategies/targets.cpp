#include "tuner/plugins/strategies/targets.h"

#include <algorithm>
#include <cmath>

namespace tuner::strategies {

Eigen::VectorXf targets_of(const std::vector<History::Entry>& entries, const TargetShape& shape) {
  std::vector<double> valid;
  for (const auto& entry : entries) {
    if (entry.value < kInfinity) valid.push_back(entry.value);
  }
  Eigen::VectorXf out = Eigen::VectorXf::Zero(static_cast<Eigen::Index>(entries.size()));
  if (valid.empty()) return out;
  if (std::ranges::min(valid) > 0) {
    for (double& value : valid) value = std::log(value);
  }
  std::vector<double> sorted = valid;
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  const double worst = median + shape.flatten * (sorted.back() - median);
  const double failed = median + shape.failure * (worst - median);
  auto next = valid.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    double value = failed;
    if (entries[i].value < kInfinity) {
      value = *next++;
      if (value > median) value = median + shape.flatten * (value - median);
    }
    out[static_cast<Eigen::Index>(i)] = static_cast<float>(value);
  }
  out.array() -= out.mean();
  const float deviation = std::sqrt(out.squaredNorm() / static_cast<float>(out.size()));
  if (deviation > 1e-9F) {
    out /= deviation;
  } else {
    out.setZero();
  }
  return out;
}

}  // namespace tuner::strategies
