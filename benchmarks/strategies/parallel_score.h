#pragma once
// A score by the clock on the wall: how far a search with W compile workers and one device is from
// random search with the same workers (0) towards an oracle that asks for the optimum first (1).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/strategies/community_score.h"
#include "tuner/files/recording.h"

namespace tuner::bench {

struct ParallelScore {
  double mean = 0;
  double worst = 0;  // of the runs
  // The same in each eighth of the budget, over what there was to gain in it by the optimum.
  std::vector<double> eighths;
};

// The random searches are simulated as exchange/parallel_replay does, without a coordinator that
// takes time. The budget ends when their mean has gone 95 % of the way from the space's median to
// its optimum; before its first result a run is at the median.
class ParallelScale {
 public:
  // Throws InputError when the recording holds no valid configuration.
  ParallelScale(const Recording& recording, unsigned workers, std::uint64_t seed);

  double budget_seconds() const { return grid_.back(); }
  ParallelScore score(std::span<const Run> runs) const;

 private:
  Run random_run(const Recording& recording, unsigned workers,
                 std::vector<std::size_t> order) const;
  std::vector<double> mean_curve(std::span<const Run> runs, std::span<const double> times) const;
  // Best so far at each of the times, which rise.
  std::vector<double> curve(const Run& run, std::span<const double> times) const;

  double optimum_ = 0;
  double median_ = 0;
  std::vector<double> grid_;  // seconds
  std::vector<double> baseline_;
  double room_ = 0;  // area between baseline and oracle, in points of the grid
};

}  // namespace tuner::bench
