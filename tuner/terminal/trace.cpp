// Writes the CSV of `--trace`.

#include "tuner/terminal/trace.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tuner {

TraceFile::TraceFile(const std::string& path)
    : file_(path.empty() ? nullptr : std::make_unique<AtomicFile>(path)),
      text_("run,eval,time_s,objective\n") {}

void TraceFile::begin_run() { runs_[now_] = {begun_++, 0}; }

void TraceFile::trial(const Trial& trial, double seconds) {
  line(seconds, trial.state == TrialState::kOk ? trial.objective.value()
                                               : std::numeric_limits<double>::quiet_NaN());
}

void TraceFile::line(double seconds, double objective) {
  if (!file_) return;
  Run& run = runs_[now_];
  text_ += fmt::format("{},{},{:.9g},", run.number, ++run.evaluation, seconds);
  if (!std::isnan(objective)) text_ += fmt::format("{:.17g}", objective);
  text_ += '\n';
}

void TraceFile::close() {
  if (!file_) return;
  file_->write(text_);
  file_->commit();
  file_.reset();
}

}  // namespace tuner
