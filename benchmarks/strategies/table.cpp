#include "benchmarks/strategies/table.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tuner::bench {
namespace {

// Mean over the recordings inside the group, or over those outside of it.
double group_mean(const Row& row, const std::vector<std::string>& groups, const std::string& group,
                  bool inside) {
  double total = 0;
  int count = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if ((groups[i] == group) != inside) continue;
    total += row.scores[i];
    ++count;
  }
  return count == 0 ? 0 : total / count;
}

}  // namespace

double Row::mean() const {
  return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
}

void print_table(std::ostream& out, std::vector<Row> rows, const std::vector<std::string>& names) {
  std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::mean);
  std::string head = "| strategy | mean | ms/proposal |";
  std::string rule = "|---|---|---|";
  for (std::size_t i = 0; i < names.size(); ++i) {
    head += fmt::format(" {} |", i + 1);
    rule += "---|";
  }
  fmt::print(out, "{}\n{}\n", head, rule);
  for (const Row& row : rows) {
    fmt::print(out, "| {} | {:.3f} | {:.3f} |", row.label, row.mean(), row.milliseconds);
    for (const double score : row.scores) fmt::print(out, " {:.2f} |", score);
    fmt::print(out, "\n");
    if (row.least_eighths.empty()) continue;
    fmt::print(out, "| worst eighth of the budget | {:.2f} | |",
               *std::ranges::min_element(row.least_eighths));
    for (const double least : row.least_eighths) fmt::print(out, " {:.2f} |", least);
    fmt::print(out, "\n");
  }
  fmt::print(out, "\n");
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print(out, "{}. {}\n", i + 1, names[i]);
}

double print_nested(std::ostream& out, const std::vector<Row>& rows,
                    const std::vector<std::string>& groups) {
  double total = 0;
  for (const std::string& group : std::set<std::string>(groups.begin(), groups.end())) {
    const Row& chosen = *std::ranges::max_element(
        rows, {}, [&](const Row& row) { return group_mean(row, groups, group, false); });
    const double judged = group_mean(chosen, groups, group, true);
    total += judged * static_cast<double>(std::ranges::count(groups, group));
    fmt::print(out, "{}: {:.3f} with {}, chosen on the others\n", group, judged, chosen.label);
  }
  const double mean = total / static_cast<double>(groups.size());
  fmt::print(out, "mean over the recordings: {:.3f}\n", mean);
  return mean;
}

}  // namespace tuner::bench
