#pragma once
// A run on the terminal: its progress, its rankings and its end; and in its trace.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/base/colours.h"
#include "tuner/run/device_run.h"
#include "tuner/terminal/progress.h"
#include "tuner/terminal/run_summary.h"
#include "tuner/terminal/trace.h"

namespace tuner {

// What the command line said, for the commands that are proposed and for the trace.
struct Typed {
  std::string study;
  std::string results;
  bool no_verify = false;
  std::vector<std::string> per{};
  bool usual_results = true;  // the folder need not be named
  std::string strategy{};
  std::uint64_t seed = 1;
};

class RunDisplay {
 public:
  // `study`, `progress` and `trace` outlive this.
  RunDisplay(const Study& study, Typed typed, Colours colours, Progress& progress,
             TraceFile& trace);

  void hear(const RunEvent& event);

  // What the run came to, for people.
  void sum_up() const;

 private:
  void print(const SizeOutcome& outcome);

  const Study& study_;
  Typed typed_;
  Progress& progress_;
  TraceFile& trace_;
  Colours colours_;
  bool in_trace_ = true;
  RunSummary summary_;
};

}  // namespace tuner
