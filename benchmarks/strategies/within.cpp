#include "benchmarks/strategies/within.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner::bench {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The upper one of two in the middle: a median must not hide a run that never came near.
double upper_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? kNever : values[values.size() / 2];
}

std::string text_of(double value, int digits) {
  return std::isinf(value) ? "never" : fmt::format("{:.{}f}", value, digits);
}

}  // namespace

double near_best(const Recording& recording, double share) {
  double best = kNever;
  for (const RecordedTrial& entry : recording.entries) {
    if (entry.state == TrialState::kOk) best = std::min(best, entry.objective);
  }
  return best + share * std::abs(best);
}

Within within(const Recording& recording, const std::vector<Run>& runs, double share) {
  const double bound = near_best(recording, share);
  std::vector<double> evaluations;
  std::vector<double> seconds;
  std::size_t reached = 0;
  for (const Run& run : runs) {
    const auto hit =
        std::ranges::find_if(run.objective, [&](double value) { return value <= bound; }) -
        run.objective.begin();
    const bool there = hit < std::ssize(run.objective);
    reached += there ? 1 : 0;
    evaluations.push_back(there ? static_cast<double>(hit + 1) : kNever);
    seconds.push_back(there ? run.seconds[static_cast<std::size_t>(hit)] : kNever);
  }
  return {
      upper_median(evaluations), upper_median(seconds),
      static_cast<double>(reached) / static_cast<double>(std::max<std::size_t>(runs.size(), 1))};
}

void print_within(std::ostream& out, const std::vector<WithinRow>& rows, double share) {
  fmt::print(out, "Until within {:g} % of the recording's best, medians:\n\n", 100 * share);
  fmt::print(out, "| recording | strategy | evaluations | seconds | runs there |\n");
  fmt::print(out, "|---|---|--:|--:|--:|\n");
  for (const WithinRow& row : rows) {
    fmt::print(out, "| {} | {} | {} | {} | {:.0f} % |\n", row.recording, row.strategy,
               text_of(row.found.evaluations, 0), text_of(row.found.seconds, 1),
               100 * row.found.reached);
  }
}

}  // namespace tuner::bench
