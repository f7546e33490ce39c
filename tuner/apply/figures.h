#pragma once
// Figures of the tuned kernel's worth in a program, over runs without it and with it.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/apply/conversation.h"
#include "tuner/model/statistics.h"
#include "tuner/model/study.h"

namespace tuner {

struct AppliedRun {
  double seconds = 0;  // of the whole program
  RunCounts counts;
};

// Runs in pairs: one without the tuned kernel, one with it.
struct AppliedRuns {
  std::vector<AppliedRun> without, with;
};

// A figure of the runs without the tuned kernel and with it, and what it becomes.
struct Worth {
  Timing without, with;
  Ratio ratio;  // with over without
};

// The ratio over complete pairs; nothing where there is none.
std::optional<Worth> worth_of_program(const AppliedRuns& runs);  // seconds
std::optional<Worth> worth_of_kernel(const AppliedRuns& runs);   // milliseconds

// Counts and times of launches that are alike: over runs the medians of their mean times, 0 where
// that is not known.
struct AppliedKind {
  LaunchCount count;  // of the last run
  double without_ms = 0, with_ms = 0;
};
std::vector<AppliedKind> kinds_of(const AppliedRuns& runs);

std::string figures_text(const Study& study, const std::vector<AppliedLaunch>& answers,
                         const AppliedRuns& runs);
nlohmann::json figures_json(const Study& study, const std::vector<AppliedLaunch>& answers,
                            const AppliedRuns& runs);

}  // namespace tuner
