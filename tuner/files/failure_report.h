#pragma once
// Why variants failed, grouped by cause, for a terminal.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/model/ranked_results.h"

namespace tuner {

// Failures of one state whose first line of error is the same but for numbers and the values of
// parameters.
struct FailureGroup {
  TrialState state = TrialState::kCompile;
  std::string cause;  // that line of the first of them, without the folders of paths
  std::size_t count = 0;
  std::size_t example = 0;  // the first of them: its place in RankedResults::trials
};

// Returns the first error of a compiler's log in one line, without folders.
std::string error_in(const std::string& log);

// The most frequent first; of equals the one that comes first in the results.
std::vector<FailureGroup> failure_groups(const RankedResults& results);

// The most frequent few with one example each, and `command`, which shows the rest. Where nothing
// is valid for a single reason, the beginning of that message. Empty when nothing failed.
std::string failure_summary(const RankedResults& results, std::span<const std::string> parameters,
                            const std::string& command, const Colours& colours = {});

// All of them, each with a configuration and the beginning of its message.
std::string failure_report(const RankedResults& results, std::span<const std::string> parameters,
                           const Colours& colours = {});

// "only the baseline gave the right answer, 8 did not: look at the study first", where more are
// wrong than right; else empty. What is the best of so few is worth little.
std::string mostly_wrong_text(const RankedResults& results);

// Describes what wrong variants share and right ones lack, or what their messages show where no
// variant is right, one line each; empty for nothing. It claims no more of a cause than that.
std::string about_wrong_answers(const RankedResults& results,
                                std::span<const std::string> parameters);

}  // namespace tuner
