// Selects for each tuned size as if it had not been tuned, and adds up the loss.

#include "tuner/choice/leave_one_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/error.h"
#include "tuner/search/ranking.h"

namespace tuner {
namespace {

// What the selected configuration cost where it was not used for the table.
void measure(const Study& study, const RankedResults& results, LeftOut& row) {
  const auto found = std::ranges::find_if(results.trials, [&](const Trial& trial) {
    return trial.configuration == row.configuration &&
           (trial.state == TrialState::kOk || trial.state == TrialState::kDropped);
  });
  if (found == results.trials.end()) return;
  row.dropped = found->state == TrialState::kDropped;
  row.loss = loss_of(study, results, *found);
}

LeftOut left_out(const Study& study, std::vector<RankedResults> results, std::size_t at,
                 const TableOptions& options) {
  const RankedResults mine = std::move(results[at]);
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(at));
  const TunedTable table = tuned_table(study, results, options);
  const Selection chosen = select(study, table, mine.device, mine.size);
  LeftOut row;
  row.device = mine.device.name;
  row.size = mine.size;
  row.configuration = table.configurations[chosen.configuration];
  row.how = chosen.how;
  row.log2_distance_sq = chosen.log2_distance_sq;
  if (chosen.how != Match::kUnsupported) measure(study, mine, row);
  return row;
}

}  // namespace

LeaveOneOut leave_one_out(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options) {
  std::vector<RankedResults> useful;
  for (const RankedResults& one : results) {
    if (one.ranked > 0 && one.trials.front().state == TrialState::kOk) useful.push_back(one);
  }
  if (useful.size() < 2) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "leaving one size out needs at least two tuned ones; there " +
                                   std::string(useful.empty() ? "is none" : "is one"),
                               ""});
  }
  LeaveOneOut out;
  std::vector<double> losses;
  for (std::size_t i = 0; i < useful.size(); ++i) {
    out.rows.push_back(left_out(study, useful, i, options));
    if (!std::isnan(out.rows.back().loss)) losses.push_back(out.rows.back().loss);
  }
  out.measured = losses.size();
  if (losses.empty()) return out;
  std::ranges::sort(losses);
  const std::size_t half = losses.size() / 2;
  out.median = losses.size() % 2 == 1 ? losses[half] : (losses[half - 1] + losses[half]) / 2;
  out.worst = losses.back();
  return out;
}

std::string report(const LeaveOneOut& evaluation) {
  std::string out = "each size left out in turn, and what would be selected for it:\n";
  for (const LeftOut& row : evaluation.rows) {
    std::string loss = "not measured here";
    if (row.how == Match::kUnsupported) {
      loss = "nothing valid to select";
    } else if (!std::isnan(row.loss)) {
      loss = fmt::format("{:.1f} % slower than its own best{}", 100 * row.loss,
                         row.dropped ? " (by a short probe)" : "");
    }
    out += fmt::format("  {} {}: {}, distance {:.2f}: {}\n", row.device, row.size.label(),
                       name_of(row.how), std::sqrt(row.log2_distance_sq), loss);
  }
  if (evaluation.measured > 0) {
    out += fmt::format("median loss {:.1f} %, worst {:.1f} %", 100 * evaluation.median,
                       100 * evaluation.worst);
  } else {
    out += "no loss is known";
  }
  return out + fmt::format(", over {} of {} sizes\n", evaluation.measured, evaluation.rows.size());
}

}  // namespace tuner
