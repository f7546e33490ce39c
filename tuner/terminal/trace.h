#pragma once
// The file of `--trace`.

#include <cstddef>
#include <map>
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
  // What follows is of this lane: runs side by side have a number each.
  void turn_to(std::size_t lane) { now_ = lane; }
  void begin_run();
  void trial(const Trial& trial, double seconds);
  // Any objective value and any clock: for replays. NaN is written as empty.
  void line(double seconds, double objective);
  void close();

 private:
  std::unique_ptr<AtomicFile> file_;  // null: nothing is written, or it is
  std::string text_;
  struct Run {
    long number = -1;
    long evaluation = 0;
  };
  std::map<std::size_t, Run> runs_;  // the last one of each lane
  std::size_t now_ = 0;
  long begun_ = 0;
};

}  // namespace tuner
