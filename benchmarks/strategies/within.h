#pragma once
// How soon strategies come near the best that is recorded.

#include <ostream>
#include <string>
#include <vector>

#include "benchmarks/strategies/community_score.h"
#include "tuner/files/recording.h"

namespace tuner::bench {

struct Within {
  double evaluations = 0;  // medians over the runs; infinity: half of them never came near
  double seconds = 0;      // simulated
  double reached = 0;      // share of the runs
};

// What is within `share` (0.01: 1 %) of the recording's best objective.
double near_best(const Recording& recording, double share);

Within within(const Recording& recording, const std::vector<Run>& runs, double share);

struct WithinRow {
  std::string recording;
  std::string strategy;
  Within found;
};

void print_within(std::ostream& out, const std::vector<WithinRow>& rows, double share);

}  // namespace tuner::bench
