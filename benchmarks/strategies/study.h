#pragma once
// Repeated replays of one strategy on one recording, scored.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/strategies/community_score.h"
#include "benchmarks/strategies/parallel_score.h"
#include "benchmarks/strategies/plugin_strategy.h"
#include "tuner/files/replay.h"

namespace tuner::bench {

// Earlier results that a strategy is told of.
struct WarmStart {
  const Recording* recording = nullptr;  // null: none
  // 0: the whole recording; else what `default` measures there with so many evaluations, which is
  // what an earlier tuning leaves behind.
  std::size_t evaluations = 0;
};

struct StudySetup {
  std::uint64_t seed = 1;
  std::size_t repeats = 25;
  std::size_t small_repeats = 25;  // where the score's budget is below 100 evaluations
  std::size_t jobs = 1;            // questions open at the same time
  std::size_t evaluations = 0;     // 0: the score's own budget, or until `within` is reached
  unsigned compile_workers = 0;    // 0: one configuration after the other
  double within = 0;               // 0.01: a run ends when it is within 1 % of the best
  int bags = 100;
  unsigned threads = 1;
  WarmStart warm;
};

struct Scored {
  double score = 0;         // the community's, or by the clock of compile workers
  double least_eighth = 0;  // of that clock: in the part of the budget where it is lowest
  double milliseconds_per_proposal = 0;  // the strategy's own computing
  std::vector<Run> runs;
};

// A recording made ready for many replays.
class Arena {
 public:
  // With compile workers: throws InputError when the recording has no compile times.
  Arena(Recording recording, unsigned compile_workers);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  const Recording& recording() const { return recording_; }
  const ScoreScale& scale() const { return scale_; }
  const std::optional<ParallelScale>& parallel_scale() const { return parallel_scale_; }
  Scored play(const StrategyChoice& choice, const StudySetup& setup) const;

 private:
  Run play_once(const StrategyChoice& choice, const StudySetup& setup, std::uint64_t seed,
                double* strategy_seconds) const;

  Recording recording_;
  RecordedSpace space_;
  ScoreScale scale_;
  std::optional<ParallelScale> parallel_scale_;  // with compile workers
};

}  // namespace tuner::bench
