#include "benchmarks/strategies/first.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <limits>
#include <map>

#include "benchmarks/strategies/within.h"
#include "tuner/model/statistics.h"

namespace tuner::bench {
namespace {

// Finds the best share of one run after so many answers. What failed has NaN, less than none.
double share_after(const Run& run, std::size_t count, double best) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(count, run.objective.size()); ++i) {
    if (run.objective[i] < least) least = run.objective[i];
  }
  return best / least;
}

struct Sums {
  std::vector<double> shares;
  double recordings = 0;
};

std::string columns(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += fmt::format(" {:.2f} |", value);
  return out;
}

}  // namespace

FirstRow first_answers(const Recording& recording, const std::string& kernel,
                       const std::string& strategy, const std::vector<Run>& runs,
                       const std::vector<std::size_t>& counts) {
  const double best = near_best(recording, 0);
  FirstRow row{recording.name, kernel, strategy, {}, {}};
  for (const std::size_t count : counts) {
    std::vector<double> shares;
    for (const Run& run : runs) shares.push_back(share_after(run, count, best));
    row.least.push_back(*std::ranges::min_element(shares));
    row.medians.push_back(median(std::move(shares)));
  }
  return row;
}

void print_first(std::ostream& out, std::vector<FirstRow> rows,
                 const std::vector<std::size_t>& counts) {
  std::string head;
  std::string rule;
  for (const std::size_t count : counts) {
    head += fmt::format(" {} |", count);
    rule += "--:|";
  }
  fmt::print(out, "Of the best, after so many answers: medians, then the least of the runs.\n\n");
  fmt::print(out, "| recording | strategy |{0}{0}\n|---|---|{1}{1}\n", head, rule);
  std::map<std::string, std::map<std::string, Sums>> by_strategy;
  std::map<std::string, std::vector<double>> worst;
  for (const FirstRow& row : rows) {
    fmt::print(out, "| {} | {} |{}{}\n", row.recording, row.strategy, columns(row.medians),
               columns(row.least));
    Sums& sums = by_strategy[row.strategy][row.kernel];
    sums.shares.resize(counts.size());
    sums.recordings += 1;
    auto& low = worst.emplace(row.strategy, row.medians).first->second;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums.shares[i] += row.medians[i];
      low[i] = std::min(low[i], row.medians[i]);
    }
  }
  for (const auto& [strategy, kernels] : by_strategy) {
    std::vector<double> mean(counts.size());
    for (const auto& [kernel, sums] : kernels) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        mean[i] += sums.shares[i] / sums.recordings / static_cast<double>(kernels.size());
      }
    }
    fmt::print(out, "| mean over {} kernels; the worst recording | {} |{}{}\n", kernels.size(),
               strategy, columns(mean), columns(worst[strategy]));
  }
}

}  // namespace tuner::bench
