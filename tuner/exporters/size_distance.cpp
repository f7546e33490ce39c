// Computes how far two problem sizes are apart.

#include "tuner/exporters/size_distance.h"

#include <algorithm>
#include <cmath>

namespace tuner {

SizeDistance::SizeDistance(const std::vector<double>& weights) {
  constexpr double kLargest = 1 << 24;  // squares have 28 bits at most, so sums stay below 63
  const double most = weights.empty() ? 0 : std::ranges::max(weights);
  if (!(most > 0)) return;
  for (const double weight : weights) {
    // What is not nothing still counts.
    const std::int64_t factor = std::llround(weight / most * kLargest);
    factors_.push_back(weight > 0 ? std::max<std::int64_t>(1, factor) : 0);
  }
  unit_ = most / kLargest / 65536;
}

std::int64_t SizeDistance::between(const ProblemSize& a, const ProblemSize& b) const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < a.dims.size() && d < b.dims.size(); ++d) {
    const std::int64_t apart = lg256(a.dims[d].second) - lg256(b.dims[d].second);
    sum += factor(d) * apart * apart;
  }
  return sum;
}

}  // namespace tuner
