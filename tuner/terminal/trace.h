#pragma once
// The file of `--trace`.

#include <memory>
#include <string>

#include "tuner/base/atomic_file.h"
#include "tuner/model/trial.h"

namespace tuner {

// --trace: "run,eval,time_s,objective", one line for each finished trial, in order of completion.
// Collected in memory and written whole by close(), so that a trace is never half a trace.
// The file is opened at once: a run of hours must not end with a place that cannot be written.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);  // empty: nothing is written
  void begin_run();
  void trial(const Trial& trial, double seconds);
  // Any objective value and any clock: for replays. NaN is written as empty.
  void line(double seconds, double objective);
  void close();

 private:
  std::unique_ptr<AtomicFile> file_;
  std::string text_;
  long run_ = -1;
  long evaluation_ = 0;
};

}  // namespace tuner
