#pragma once
// How well an export answers for sizes that were not tuned: each tuned size in turn is left out,
// and what would be selected for it is compared with the best that was measured there.

#include <limits>
#include <string>
#include <vector>

#include "tuner/choice/selection.h"

namespace tuner {

struct LeftOut {
  std::string device;  // name
  ProblemSize size;
  Configuration configuration;  // what would be selected
  Match how = Match::kUnsupported;
  double log2_distance_sq = 0;
  // 0.05: 5 % slower than the best measured here; NaN: not measured here.
  double loss = std::numeric_limits<double>::quiet_NaN();
  bool dropped = false;  // the loss is that of a short probe
};

struct LeaveOneOut {
  std::vector<LeftOut> rows;
  std::size_t measured = 0;  // rows whose loss is known; over these:
  double median = std::numeric_limits<double>::quiet_NaN();
  double worst = std::numeric_limits<double>::quiet_NaN();
};

// `options` as for the export itself. Results with nothing valid are left out. Throws InputError
// when there are fewer than two tuned sizes: then there is nothing to select from.
LeaveOneOut leave_one_out(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options = {});

// A line for each size, then median and worst.
std::string report(const LeaveOneOut& evaluation);

}  // namespace tuner
