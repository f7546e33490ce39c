#pragma once
// Statistics of run times: medians and what can be said about them without assuming a distribution.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Linear interpolation between order statistics (Hyndman and Fan's type 7); q in [0, 1]. Samples
// in any order, at least one.
double quantile(std::vector<double> samples, double q);
double median(std::vector<double> samples);

// How many of the outermost order statistics an interval of the median leaves out at each end: the
// largest k with P(Binomial(n, 1/2) < k) <= (1 - confidence) / 2, so that [x(k), x(n+1-k)] covers
// the median with at least that confidence (x(1) is the smallest). 0 when n is too small for any.
std::size_t median_rank(std::size_t n, double confidence);

// Median with its order-statistics interval, which is the whole range when there are too few
// samples for that confidence; the smallest sample, and all of them.
Timing summarise(std::vector<double> samples, double confidence);

// Half the interval's width over the median; infinite for a median that is not positive.
double relative_half_width(const Timing& timing);

// Slower than the best by more than this is out of the race for the final.
inline constexpr double kFinalistMargin = 0.10;

// Whether no more samples are worth their time: the interval is tight, or clearly out of the
// final's reach, or a limit is met. `spent_ms` is device time of the samples so far, `best_ms` the
// best median known (0 = none).
bool enough_samples(const Timing& timing, const MeasureSpec& measure, double spent_ms,
                    double best_ms);

// Samples of a probe, by which a configuration may be dropped.
inline constexpr std::uint32_t kProbeSamples = 3;

// Milliseconds beyond which a probe gives a configuration up; infinite where nothing is dropped, or
// no best is known. The fastest sample is compared with it: whatever disturbs a launch makes it
// slower, so even the best case is too slow.
double drop_limit(const MeasureSpec& measure, double best_ms);

// The step that follows the samples of a configuration so far.
enum class Sampling { kMore, kEnough, kDropped };
Sampling after_samples(std::vector<double> samples, const MeasureSpec& measure, double spent_ms,
                       double best_ms);

// Paired comparison of a with b, measured in the same rounds: median of a[i] / b[i] and its
// order-statistics interval. Drift that both see cancels. Pairs with b[i] <= 0 are left out.
struct Ratio {
  double median = 1;
  Interval interval{1, 1};
};
Ratio paired_ratio(std::span<const double> a, std::span<const double> b, double confidence);

}  // namespace tuner
