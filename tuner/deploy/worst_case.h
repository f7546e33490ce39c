#pragma once
// A choice that holds on several machines with the same device: no two of them are quite alike.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

// Choice for one problem size, and its loss at worst.
struct WorstCase {
  std::string device;
  ProblemSize size;
  std::size_t machines = 1;     // that have results for it, this one included
  Configuration chosen{};       // of those that ran on all of them
  double loss = 0;              // at worst, against each machine's own winner
  double loss_of_winner = 0;    // what this machine's winner loses at worst
  bool winner_is_known = true;  // on all of them; else its loss is that of those that know it
  bool moved = false;           // the choice is another one than this machine's winner
};

// Puts first, of each of `results`, the configuration with the smallest loss at worst over these
// and all of `others` with the same device and size, of those that were valid on all of them. Its
// figures stay those of `results`. Another than the winner only where that gains more than 0.1 %
// and is not slower than the baseline. Sizes that no other machine knows stay as they are.
std::vector<WorstCase> prefer_worst_case(const Study& study,
                                         const std::vector<RankedResults>& others,
                                         std::vector<RankedResults>& results);

// A line for each size that several machines know.
std::string worst_case_report(const Study& study, const std::vector<WorstCase>& cases);

}  // namespace tuner
