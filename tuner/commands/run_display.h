#pragma once
// A run on the terminal: its progress, its rankings and what it came to; and in its trace.

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/commands/options.h"
#include "tuner/commands/progress.h"
#include "tuner/commands/trace.h"
#include "tuner/run/device_run.h"

namespace tuner {

class RunSummary {
 public:
  // `study` outlives this. `typed` and `results` are what the command line calls it and its
  // results.
  RunSummary(const Study& study, std::string typed, std::string results)
      : study_(study), typed_(std::move(typed)), results_(std::move(results)) {}

  void add(const SizeOutcome& outcome);
  // Lines for a terminal; none where nothing was ranked.
  std::vector<std::string> lines() const;

 private:
  void add_place(const RankedResults& results, std::string text, std::string row);
  std::vector<std::string> next_steps() const;

  const Study& study_;
  std::string typed_;
  std::string results_;
  // What came of a size on a device.
  struct Place {
    std::string device;
    ProblemSize size;
    std::string text;
    std::string row;  // of a table, where there are several
  };
  std::vector<Place> places_;  // of a device in the order of the study's sizes
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::time_point::max();
  double seconds_ = 0;  // from the begin of the first until the end of the last
  std::size_t valid_ = 0;
  bool any_trial_ = false;
  bool nothing_to_try_ = false;  // at one size at least
  std::string most_failed_;      // state that most ended in where nothing is valid
};

class RunDisplay {
 public:
  // All but the colours outlive this. `typed` is what the command line said, for the commands that
  // are proposed and for the trace.
  RunDisplay(const Study& study, const RunOptions& typed, Colours colours, Progress& progress,
             TraceFile& trace);

  void hear(const RunEvent& event);

  // What the run came to, for people.
  void sum_up() const;

 private:
  void print(const SizeOutcome& outcome);

  const Study& study_;
  const RunOptions& typed_;
  Progress& progress_;
  TraceFile& trace_;
  Colours colours_;
  bool in_trace_ = true;
  RunSummary summary_;
};

}  // namespace tuner
