#pragma once
// The auto-tuning community's score of a strategy on a fully recorded space: how far its typical
// run is from random search (0) towards the optimum (1), averaged over time until random search is
// expected to be nearly there. Our own implementation; lower objectives are better.

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/files/recording.h"

namespace tuner::bench {

// One run: after evaluation i, `seconds[i]` have passed and `objective[i]` was measured (NaN: it
// failed).
struct Run {
  std::vector<double> seconds;
  std::vector<double> objective;
};

class ScoreScale {
 public:
  // Throws InputError when the recording holds no valid configuration.
  explicit ScoreScale(const Recording& recording);

  // What random search needs until it is expected at `fraction` of the way from the median to the
  // optimum.
  std::size_t cutoff_evaluations(double fraction) const;
  double cutoff_seconds(double fraction) const;

  // Let runs last this long.
  double budget_seconds() const { return 1.1 * cutoff_seconds(kCutoff); }
  std::size_t budget_evaluations() const { return cutoff_evaluations(kCutoff); }

  double score(std::span<const Run> runs, int bags, std::uint64_t seed) const;

 private:
  static constexpr double kStart = 0.01;
  static constexpr double kCutoff = 0.95;
  static constexpr std::size_t kPoints = 1000;

  std::vector<double> baseline(std::span<const double> times) const;
  std::vector<double> curve(std::span<const Run> runs, std::span<const double> times, int bags,
                            std::uint64_t seed) const;

  std::vector<double> sorted_;  // valid objectives, best first
  double median_ = 0;
  double median_seconds_ = 0;  // of one evaluation
  double mean_seconds_ = 0;
};

}  // namespace tuner::bench
