// Prints the runs of each strategy of a replay.

#include "tuner/terminal/replay_table.h"

#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <utility>

#include "tuner/base/terminal_text.h"
#include "tuner/exporters/csv.h"

namespace tuner {

ReplayTable::ReplayTable(ReplayTableOptions options, const Recording& recording, Progress& progress)
    : options_(options), recording_(recording), progress_(progress) {
  std::cout << (options_.several ? "strategy," : "")
            << "run,seed,evaluations,time_s,best,configuration"
            << (options_.workers ? ",compile_workers_busy,device_busy\n" : "\n");
}

void ReplayTable::add(const std::string& strategy, unsigned repeat, const ReplayResult& run) {
  line(strategy, std::to_string(repeat), std::to_string(options_.seed + repeat), run);
  runs_.push_back(run);
}

void ReplayTable::end(const std::string& strategy) {
  std::vector<ReplayResult> runs = std::exchange(runs_, {});
  if (runs.empty() || (runs.size() == 1 && !options_.several)) return;
  const std::size_t n = runs.size();
  const std::optional<ReplayResult> middle = middle_of(std::move(runs), recording_.maximize);
  if (options_.several) {
    line(strategy, "median", "", middle.value_or(ReplayResult{}));
    return;
  }
  progress_.note(middle ? fmt::format("median of {} runs: {:.8g} after {} evaluations, {:.6g} s", n,
                                      middle->best, middle->evaluations, middle->seconds)
                        : fmt::format("median of {} runs: nothing valid", n));
}

void ReplayTable::line(const std::string& strategy, const std::string& run, const std::string& seed,
                       const ReplayResult& result) const {
  const bool valid = !result.configuration.empty();
  if (options_.several) std::cout << csv_field(for_terminal(strategy)) << ",";
  std::cout << fmt::format(
      "{},{},{},{:.6g},{},{}", run, seed, result.evaluations, result.seconds,
      valid ? fmt::format("{:.8g}", result.best) : "",
      csv_field(for_terminal(configuration_text(recording_.parameters, result.configuration))));
  if (options_.workers) {
    std::cout << fmt::format(",{:.3f},{:.3f}", result.busy.workers, result.busy.device);
  }
  std::cout << "\n";
}

}  // namespace tuner
