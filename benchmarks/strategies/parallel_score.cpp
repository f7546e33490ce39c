#include "benchmarks/strategies/parallel_score.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

#include "benchmarks/strategies/curves.h"
#include "tuner/base/error.h"
#include "tuner/plugin/sdk_random.h"

namespace tuner::bench {
namespace {

constexpr int kRandomRuns = 400;
constexpr std::size_t kMostConfigurations = 4000;  // of a random run
constexpr std::size_t kFine = 200001;              // points for finding the budget
constexpr std::size_t kPoints = 400;
constexpr std::size_t kParts = 8;
constexpr double kEnd = 0.95;

double known(double seconds) { return std::isnan(seconds) ? 0 : seconds; }

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool is_valid(const RecordedTrial& entry) { return entry.state == TrialState::kOk; }

}  // namespace

ParallelScale::ParallelScale(const Recording& recording, unsigned workers, std::uint64_t seed) {
  std::vector<double> valid;
  double oracle_seconds = 0;
  for (const RecordedTrial& entry : recording.entries) {
    if (!is_valid(entry)) continue;
    if (valid.empty() || entry.objective < optimum_) {
      optimum_ = entry.objective;
      oracle_seconds = known(entry.compile_seconds) + known(entry.device_seconds);
    }
    valid.push_back(entry.objective);
  }
  if (valid.empty()) {
    throw InputError(Complaint{{recording.name, 0, 0}, "no valid configuration", ""});
  }
  std::ranges::sort(valid);
  const std::size_t half = valid.size() / 2;
  median_ = valid.size() % 2 == 1 ? valid[half] : (valid[half - 1] + valid[half]) / 2;

  sdk::Rng rng(seed);
  std::vector<std::size_t> order(recording.entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Run> runs;
  double horizon = 0;
  for (int i = 0; i < kRandomRuns; ++i) {
    rng.shuffle(order);
    const auto some = static_cast<std::ptrdiff_t>(std::min(order.size(), kMostConfigurations));
    runs.push_back(random_run(recording, workers, {order.begin(), order.begin() + some}));
    horizon = std::max(horizon, runs.back().seconds.back());
  }
  const auto fine = evenly_spaced(0, horizon, kFine);
  const auto falling = mean_curve(runs, fine);
  const double goal = median_ - kEnd * (median_ - optimum_);
  const auto hit =
      std::ranges::find_if(falling, [&](double value) { return value <= goal; }) - falling.begin();
  const double budget = hit < std::ssize(falling) ? fine[static_cast<std::size_t>(hit)] : horizon;
  grid_ = evenly_spaced(budget / static_cast<double>(kPoints), budget, kPoints);
  baseline_ = mean_curve(runs, grid_);
  for (std::size_t i = 0; i < kPoints; ++i) {
    room_ += baseline_[i] - (grid_[i] >= oracle_seconds ? optimum_ : median_);
  }
}

Run ParallelScale::random_run(const Recording& recording, unsigned workers,
                              std::vector<std::size_t> order) const {
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at(
      {}, std::vector<double>(workers, 0.0));
  std::vector<std::pair<double, std::size_t>> compiled;
  for (const std::size_t i : order) {
    const double end = free_at.top() + known(recording.entries[i].compile_seconds);
    free_at.pop();
    free_at.push(end);
    compiled.emplace_back(end, i);
  }
  std::ranges::sort(compiled);
  double device = 0;
  std::vector<std::pair<double, double>> results;
  for (const auto& [end, i] : compiled) {
    const RecordedTrial& entry = recording.entries[i];
    if (is_valid(entry)) device = std::max(device, end) + known(entry.device_seconds);
    results.emplace_back(is_valid(entry) ? device : end,
                         is_valid(entry) ? entry.objective : std::nan(""));
  }
  std::ranges::stable_sort(results, {}, [](const auto& result) { return result.first; });
  Run run;
  for (const auto& [seconds, objective] : results) {
    run.seconds.push_back(seconds);
    run.objective.push_back(objective);
  }
  return run;
}

std::vector<double> ParallelScale::curve(const Run& run, std::span<const double> times) const {
  std::vector<double> out;
  double best = median_;
  std::size_t next = 0;
  for (const double time : times) {
    for (; next < run.seconds.size() && run.seconds[next] <= time; ++next) {
      if (run.objective[next] < best) best = run.objective[next];
    }
    out.push_back(best);
  }
  return out;
}

std::vector<double> ParallelScale::mean_curve(std::span<const Run> runs,
                                              std::span<const double> times) const {
  std::vector<double> mean(times.size(), 0.0);
  for (const Run& run : runs) {
    const auto values = curve(run, times);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += values[i];
  }
  for (double& value : mean) value /= static_cast<double>(runs.size());
  return mean;
}

ParallelScore ParallelScale::score(std::span<const Run> runs) const {
  ParallelScore result;
  result.worst = std::numeric_limits<double>::infinity();
  const double random = sum_of(baseline_);
  for (const Run& run : runs) {
    const double one = (random - sum_of(curve(run, grid_))) / room_;
    result.mean += one / static_cast<double>(runs.size());
    result.worst = std::min(result.worst, one);
  }
  const auto mine = mean_curve(runs, grid_);
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t size = kPoints / kParts;
    const double before = sum_of(std::span(baseline_).subspan(part * size, size));
    const double gained = before - sum_of(std::span(mine).subspan(part * size, size));
    const double most = before - static_cast<double>(size) * optimum_;
    result.eighths.push_back(gained / std::max(most, 1e-12));
  }
  return result;
}

}  // namespace tuner::bench
