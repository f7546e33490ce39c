#pragma once
// The file of `--trace`.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tuner/base/atomic_file.h"
#include "tuner/model/trial.h"

namespace tuner {

// --trace: "run,eval,time_s,objective,strategy,seed", one line for each finished trial, in order of
// completion. `run` counts those of a strategy, as the table of a replay does. Collected in memory
// and written whole by close(), so that a trace is never half a trace. The file is opened at once:
// a run of hours must not end with a place that cannot be written.
class TraceFile {
 public:
  // Empty path: nothing is written. `by_time`: the objective is the time that a trial has in
  // milliseconds; a recording's objective is in them already.
  explicit TraceFile(const std::string& path, bool by_time);
  // Runs side by side have a lane each.
  void begin_run(const std::string& strategy, std::uint64_t seed, std::size_t lane = 0);
  void trial(const Trial& trial, double seconds, std::size_t lane = 0);
  void close();

 private:
  std::unique_ptr<AtomicFile> file_;  // null: nothing is written, or it is
  bool by_time_;
  std::string text_;
  struct Run {
    long number = -1;
    long evaluation = 0;
    std::string strategy{};
    std::uint64_t seed = 0;
  };
  std::map<std::size_t, Run> runs_;    // the last one of each lane
  std::map<std::string, long> begun_;  // runs of each strategy
};

}  // namespace tuner
