#include "tuner/app/trace.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tuner/base/atomic_file.h"

namespace tuner {

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)), text_("run,eval,time_s,objective\n") {}

void TraceFile::begin_run() {
  ++run_;
  evaluation_ = 0;
}

void TraceFile::trial(const Trial& trial, double seconds) {
  line(seconds,
       trial.state == TrialState::kOk ? trial.objective : std::numeric_limits<double>::quiet_NaN());
}

void TraceFile::line(double seconds, double objective) {
  if (path_.empty()) return;
  text_ += fmt::format("{},{},{:.9g},", run_, ++evaluation_, seconds);
  if (!std::isnan(objective)) text_ += fmt::format("{:.17g}", objective);
  text_ += '\n';
}

void TraceFile::close() {
  if (!path_.empty()) write_file_atomically(path_, text_);
}

}  // namespace tuner
