// Shows a run: its progress, its rankings, its summary; and writes its trace.

#include "tuner/terminal/run_display.h"

#include <iostream>
#include <utility>
#include <vector>

#include "tuner/exporters/failure_report.h"
#include "tuner/exporters/ranked_table.h"
#include "tuner/terminal/stored_text.h"

namespace tuner {

RunDisplay::RunDisplay(const Study& study, Typed typed, Colours colours, Progress& progress,
                       TraceFile& trace)
    : study_(study),
      typed_(std::move(typed)),
      progress_(progress),
      trace_(trace),
      colours_(colours),
      summary_(study, typed_.study, typed_.results) {}

void RunDisplay::hear(const RunEvent& event) {
  progress_.hear(event, study_);
  if (event.kind == RunEvent::Kind::kRanked) print(*event.outcome);
  if (event.kind == RunEvent::Kind::kBegin) {
    in_trace_ = event.part->is_search;
    if (in_trace_) trace_.begin_run(typed_.strategy, typed_.seed, event.lane);
  }
  if (event.kind == RunEvent::Kind::kTrial && in_trace_) {
    trace_.trial(*event.trial, event.seconds, event.lane);
  }
}

void RunDisplay::print(const SizeOutcome& outcome) {
  summary_.add(outcome);
  const std::vector<std::string> names = parameter_names(study_.parameters);
  std::cout << "\n" << ranked_table(outcome.results, names, 10, colours_);
  const std::string more =
      failures_command({typed_.study, typed_.usual_results ? "" : typed_.results, "", "",
                        typed_.no_verify, typed_.per});
  std::cout << failure_summary(outcome.results, names, more, colours_);
  if (!outcome.csv_path.empty()) std::cout << "  " << outcome.csv_path << "\n";
  std::cout.flush();
  if (!outcome.lost.empty() || outcome.store_gone) trace_.close();  // the run ends here
}

void RunDisplay::sum_up() const {
  if (progress_.is_for_programs()) return;
  for (const std::string& line : summary_.lines()) progress_.note(line);
}

}  // namespace tuner
