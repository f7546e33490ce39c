// Medians, their intervals, and paired comparisons.

#include "tuner/model/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tuner {
namespace {

// Standard normal quantile of the upper tail `p` (0 < p <= 0.5) by bisection of erfc: called once
// for each interval of a large sample, so speed does not matter.
double normal_upper_quantile(double p) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > p ? low : high) = middle;
  }
  return low;
}

// Beyond this 2^-n is too close to the smallest double for exact sums.
constexpr std::size_t kExactLimit = 500;

double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Interval sorted_median_interval(const std::vector<double>& sorted, double confidence) {
  const std::size_t k = std::max<std::size_t>(1, median_rank(sorted.size(), confidence));
  return {sorted[k - 1], sorted[sorted.size() - k]};
}

}  // namespace

double quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  return sorted_quantile(samples, q);
}

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

std::size_t median_rank(std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  const auto count = static_cast<double>(n);
  if (n > kExactLimit) {  // normal approximation with continuity correction
    const double z = normal_upper_quantile(tail);
    const double k = std::floor(count / 2 - z * std::sqrt(count) / 2 + 0.5);
    return k > 0 ? static_cast<std::size_t>(k) : 0;
  }
  double probability = std::pow(0.5, count);  // P(Binomial = j), from j = 0
  double sum = 0;
  for (std::size_t j = 0; j <= n / 2; ++j) {
    sum += probability;
    if (sum > tail) return j;
    probability *= (count - static_cast<double>(j)) / (static_cast<double>(j) + 1);
  }
  return n / 2;
}

Timing summarise(std::vector<double> samples, double confidence) {
  Timing timing;
  timing.samples = samples;
  if (samples.empty()) return timing;
  std::sort(samples.begin(), samples.end());
  const Interval interval = sorted_median_interval(samples, confidence);
  timing.median = sorted_quantile(samples, 0.5);
  timing.ci_low = interval.low;
  timing.ci_high = interval.high;
  timing.min = samples.front();
  return timing;
}

double relative_half_width(const Timing& timing) {
  if (!(timing.median > 0)) return std::numeric_limits<double>::infinity();
  return (timing.ci_high - timing.ci_low) / 2 / timing.median;
}

bool enough_samples(const Timing& timing, const MeasureSpec& measure, double spent_ms,
                    double best_ms) {
  const auto n = static_cast<int>(timing.samples.size());
  if (n >= measure.max_samples) return true;
  // The time limit holds even against min_samples: a kernel of ten seconds is not run seven times.
  if (spent_ms >= measure.max_milliseconds) return true;
  if (n < measure.min_samples || median_rank(timing.samples.size(), measure.confidence) == 0) {
    return false;
  }
  if (best_ms > 0 && timing.ci_low > best_ms * (1 + kFinalistMargin)) return true;
  return relative_half_width(timing) <= measure.precision;
}

double drop_limit(const MeasureSpec& measure, double best_ms) {
  return measure.drop_above > 0 && best_ms > 0 ? measure.drop_above * best_ms
                                               : std::numeric_limits<double>::infinity();
}

Sampling after_samples(std::vector<double> samples, const MeasureSpec& measure, double spent_ms,
                       double best_ms) {
  if (samples.size() == kProbeSamples &&
      *std::min_element(samples.begin(), samples.end()) > drop_limit(measure, best_ms)) {
    return Sampling::kDropped;
  }
  const Timing timing = summarise(std::move(samples), measure.confidence);
  return enough_samples(timing, measure, spent_ms, best_ms) ? Sampling::kEnough : Sampling::kMore;
}

Ratio paired_ratio(std::span<const double> a, std::span<const double> b, double confidence) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (b[i] > 0) ratios.push_back(a[i] / b[i]);
  }
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  return {sorted_quantile(ratios, 0.5), sorted_median_interval(ratios, confidence)};
}

}  // namespace tuner
