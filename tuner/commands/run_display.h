#pragma once
// A run on the terminal: its progress, its rankings and what it came to; and in its trace.

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/terminal_text.h"
#include "tuner/commands/options.h"
#include "tuner/commands/progress.h"
#include "tuner/commands/what_next.h"
#include "tuner/run/device_run.h"

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
  std::vector<std::string> hints() const;
  std::vector<std::string> next_steps() const;

  const Study& study_;
  std::string typed_;
  std::string results_;
  // The result of a size on a device.
  struct Place {
    std::string device;
    ProblemSize size;
    std::string text;
    std::string row;  // of a table, where there are several
    std::vector<StudyHint> hints;
    bool is_sound = false;  // there is a winner, and most answers are right
  };
  std::vector<Place> places_;  // of a device in the order of the study's sizes
  double begin_ = INFINITY;    // by steady_seconds()
  double seconds_ = 0;         // from the begin of the first until the end of the last
  std::size_t valid_ = 0;
  bool out_of_time_ = false;
  bool any_sound_ = false;  // a place where not most answers are wrong
  bool any_doubt_ = false;  // one where they are, and some are right
  bool any_trial_ = false;
  bool nothing_to_try_ = false;  // at one size at least
  std::string most_failed_;      // state that most ended in where nothing is valid
};

class RunDisplay {
 public:
  // All but the colours outlive this. `typed` is the command line, for commands that are proposed.
  RunDisplay(const Settings& settings, const StudyOptions& typed, Colours colours,
             Progress& progress, TraceFile& trace);

  void hear(const RunEvent& event);

  // Prints the summary of the run, for people.
  void sum_up() const;

 private:
  void print(const SizeOutcome& outcome);

  const Settings& settings_;
  const Study& study_;
  const StudyOptions& typed_;
  Progress& progress_;
  TraceFile& trace_;
  Colours colours_;
  bool in_trace_ = true;
  RunSummary summary_;
};

}  // namespace tuner
