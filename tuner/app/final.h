#pragma once
// The final of one size: the best few measured again, interleaved.

#include <optional>
#include <vector>

#include "tuner/app/size_run.h"
#include "tuner/engine/ranking.h"

namespace tuner {

struct Final {
  FinalRound round;
  bool is_new;  // else it stands since an earlier run
};

// The final that stands since an earlier run, if one does.
std::optional<Final> earlier_final(const Study& study, const std::vector<Trial>& trials);

// Whether a final would be held, because none stands for the best of these.
bool final_is_due(const RunShared& shared, const ProblemSize& size, const DeviceFacts& device,
                  const std::vector<Trial>& trials);

// The best few measured again, interleaved; their place in the ranking follows from that.
std::optional<Final> final_round(const RunShared& shared, const ProblemSize& size,
                                 const DeviceFacts& device, const Context& context,
                                 PoolEvaluator& evaluator, std::vector<Trial>& trials);

// The final's samples replace those of the search, which were taken at different times; they stay
// with the trials, so that the ranking can be told again from the store. Returns the finalists.
std::vector<Trial> take_over(const FinalRound& round, const PoolEvaluator& evaluator,
                             double confidence, std::vector<Trial>& trials);

}  // namespace tuner
