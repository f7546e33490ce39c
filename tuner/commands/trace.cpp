// Writes the CSV of `--trace`.

#include "tuner/commands/trace.h"

#include <fmt/format.h>

#include <cmath>

#include "tuner/results/ranked_csv.h"

namespace tuner {

TraceFile::TraceFile(const std::string& path, bool by_time)
    : file_(path.empty() ? nullptr : std::make_unique<AtomicFile>(path)),
      by_time_(by_time),
      text_("run,eval,time_s,objective,strategy,seed\n") {}

void TraceFile::begin_run(const std::string& strategy, std::uint64_t seed, std::size_t lane) {
  runs_[lane] = {begun_[strategy]++, 0, csv_field(strategy), seed};
}

void TraceFile::trial(const Trial& trial, double seconds, std::size_t lane) {
  if (!file_) return;
  Run& run = runs_[lane];
  text_ += fmt::format("{},{},{:.9g},", run.number, ++run.evaluation, seconds);
  const double value = by_time_ ? trial.timing.median : trial.objective.value();
  if (trial.state == TrialState::kOk && !std::isnan(value)) text_ += fmt::format("{:.17g}", value);
  text_ += fmt::format(",{},{}\n", run.strategy, run.seed);
}

void TraceFile::close() {
  if (!file_) return;
  file_->write(text_);
  file_->commit();
  file_.reset();
}

}  // namespace tuner
