#include "benchmarks/strategies/community_score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "benchmarks/strategies/curves.h"
#include "tuner/base/error.h"
#include "tuner/model/statistics.h"
#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::bench {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

ScoreScale::ScoreScale(const Recording& recording) {
  std::vector<double> valid_seconds;
  std::vector<double> failed_seconds;
  for (const RecordedTrial& entry : recording.entries) {
    const bool valid = entry.state == TrialState::kOk;
    if (valid) sorted_.push_back(entry.objective);
    if (!std::isnan(entry.cost_seconds)) {
      (valid ? valid_seconds : failed_seconds).push_back(entry.cost_seconds);
    }
  }
  if (sorted_.empty()) {
    throw InputError(Complaint{{recording.name, 0, 0}, "no valid configuration", ""});
  }
  std::ranges::sort(sorted_);
  median_ = median(sorted_);
  if (valid_seconds.empty()) {  // as the replay's clock: one second each
    median_seconds_ = mean_seconds_ = 1;
    return;
  }
  const double failed_share =
      1 - static_cast<double>(sorted_.size()) / static_cast<double>(recording.entries.size());
  mean_seconds_ = mean_of(valid_seconds);
  if (!failed_seconds.empty()) mean_seconds_ += failed_share * mean_of(failed_seconds);
  valid_seconds.insert(valid_seconds.end(), failed_seconds.begin(), failed_seconds.end());
  median_seconds_ = median(std::move(valid_seconds));
}

std::size_t ScoreScale::cutoff_evaluations(double fraction) const {
  const double target = sorted_.front() + (median_ - sorted_.front()) * (1 - fraction);
  const auto better = std::ranges::upper_bound(sorted_, target) - sorted_.begin();
  const double worse = static_cast<double>(sorted_.size()) - static_cast<double>(better);
  return static_cast<std::size_t>(std::ceil(worse / static_cast<double>(better + 1)));
}

double ScoreScale::cutoff_seconds(double fraction) const {
  return static_cast<double>(cutoff_evaluations(fraction)) * median_seconds_;
}

// After m of n configurations the best of random search is expected to be number m(n+1)/(m+1),
// counted from the worst; it is kept short of the optimum, where the score would divide by zero.
std::vector<double> ScoreScale::baseline(std::span<const double> times) const {
  const double n = static_cast<double>(sorted_.size());
  const auto last = std::ranges::upper_bound(sorted_, sorted_.front()) - sorted_.begin();
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> all;
  double first_m = 0;
  double last_m = 0;
  for (const double time : times) {
    const double m = std::nearbyint(std::max(time / mean_seconds_, 1.0));
    const double from_worst = std::nearbyint(m * (n + 1) / (m + 1));
    const auto place =
        std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(n - 1 - from_worst), last);
    all.push_back(sorted_[static_cast<std::size_t>(place)]);
    if (x.empty()) first_m = m;
    last_m = m;
    if (x.empty() || m > x.back()) {
      x.push_back(m);
      y.push_back(all.back());
    }
  }
  if (x.size() < 3) return all;
  return monotone_cubic(x, y, evenly_spaced(first_m, last_m, times.size()));
}

// Ranks of the best so far, pooled over the runs, bootstrapped, smoothed to fall with time.
std::vector<double> ScoreScale::curve(std::span<const Run> runs, std::span<const double> times,
                                      int bags, std::uint64_t seed) const {
  std::vector<RankAtTime> points;
  std::vector<double> ends;
  for (const Run& run : runs) {
    double best = std::numeric_limits<double>::infinity();
    double end = -1;
    for (std::size_t i = 0; i < run.seconds.size(); ++i) {
      if (!std::isnan(run.objective[i])) best = std::min(best, run.objective[i]);
      if (std::isinf(best)) continue;
      end = run.seconds[i];
      if (end < 0.9 * times.front() || end > 1.1 * times.back()) continue;
      const auto rank = std::ranges::lower_bound(sorted_, best) - sorted_.begin();
      points.push_back({end, static_cast<double>(rank)});
    }
    if (end >= 0) ends.push_back(end);
  }
  if (points.empty()) return std::vector<double>(times.size(), sorted_.back());

  const double divisor = std::sqrt(static_cast<double>(std::max<std::size_t>(runs.size(), 3)));
  const auto size = std::max<std::size_t>(
      static_cast<std::size_t>(static_cast<double>(points.size()) / divisor), 1);
  strategies::Rng rng(seed);
  std::vector<double> rank(times.size(), 0.0);
  std::vector<RankAtTime> bag(size);
  for (int b = 0; b < bags; ++b) {
    for (auto& point : bag) point = rng.pick(points);
    const auto fitted = falling_fit(bag, times);
    for (std::size_t i = 0; i < rank.size(); ++i) rank[i] += fitted[i] / bags;
  }
  std::vector<double> values;
  for (const double r : rank) {
    values.push_back(sorted_[static_cast<std::size_t>(std::nearbyint(r))]);
  }
  const auto stop = std::min<std::size_t>(
      static_cast<std::size_t>(std::ranges::upper_bound(times, median(ends)) - times.begin()),
      times.size() - 1);
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(stop), values.end(), values[stop]);
  return values;
}

double ScoreScale::score(std::span<const Run> runs, int bags, std::uint64_t seed) const {
  const auto times = evenly_spaced(cutoff_seconds(kStart), cutoff_seconds(kCutoff), kPoints);
  const auto random = baseline(times);
  const auto mine = curve(runs, times, bags, seed);
  double total = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    total += (mine[i] - random[i]) / (sorted_.front() - random[i]);
  }
  return total / static_cast<double>(times.size());
}

}  // namespace tuner::bench
