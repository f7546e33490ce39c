#pragma once
// How far strategies are from the best after their first questions.

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "benchmarks/strategies/community_score.h"
#include "tuner/files/recording.h"

namespace tuner::bench {

// Shares of the best: 1 is the best of the recording, 0.5 takes twice as long, 0 is none yet.
struct FirstRow {
  std::string recording;
  std::string kernel;
  std::string strategy;
  std::vector<double> medians;  // over the runs, one for each number of answers
  std::vector<double> least;    // of the runs
};

FirstRow first_answers(const Recording& recording, const std::string& kernel,
                       const std::string& strategy, const std::vector<Run>& runs,
                       const std::vector<std::size_t>& counts);

// Markdown: the recordings, then each strategy's mean over kernels and its worst recording. Each
// kernel weighs the same, however many recordings there are of it.
void print_first(std::ostream& out, std::vector<FirstRow> rows,
                 const std::vector<std::size_t>& counts);

}  // namespace tuner::bench
