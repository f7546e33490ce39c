#pragma once
// Contents of an exported header (or its kin): which configuration to use for which device and
// size.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/deploy/cover.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

// Whether devices are of one model: what is measured on one of them holds for the other.
inline bool is_one_model(const DeviceFacts& a, const DeviceFacts& b) {
  return a.name == b.name && a.compute_capability == b.compute_capability;
}

struct TunedEntry {
  std::size_t device = 0;         // in TunedTable::devices
  std::size_t configuration = 0;  // in TunedTable::configurations
  ProblemSize size;
  Shown shown{};        // of that configuration there
  double slowdown = 1;  // its time over the best one's: > 1 only in a reduced table
  std::string date{};
  std::optional<Speedup> speedup{};  // over the baseline, where there is one
  // The configuration that ranks first now and did not replace this one, which an earlier table
  // had.
  std::optional<Configuration> kept_before{};
  std::string share{};  // of the device's limit, for people; empty: not known
};

// Number of tiles (of work, or blocks) as a function of the size: `count` for each tile, of which
// there are as many in each dimension as its extent needs.
struct Tiling {
  std::int64_t count = 0;  // 0: it is not made of tiles
  std::vector<std::int64_t>
      tiles;  // extents of a tile, by dimension; 0: the dimension does not count
};

// Cost of a configuration on a device, as a function of the size: a sum of parts that follow from
// how many blocks there are and how much each has to do (cpp/predicted.hpp).
struct Predictor {
  std::size_t device = 0;         // in TunedTable::devices
  std::size_t configuration = 0;  // in TunedTable::configurations
  Tiling pieces{};                // of work; a block takes one after the other
  Tiling blocks{};
  std::int64_t resident = 1;           // blocks that a multiprocessor holds at once
  std::vector<double> coefficients{};  // of the features, none negative
};

struct LearnedSelector {
  std::vector<ExtentRange> domain;  // sizes beyond it are not predicted
  std::vector<Predictor> predictors;
};

// Number of a predictor's coefficients, beside one for each dimension.
constexpr std::size_t kPredictorTerms = 6;

struct TunedTable {
  std::vector<DeviceFacts> devices;
  std::vector<std::string> compilers;  // one for each device
  // Without doubles, in the order in which they are tried where no entry fits: the default, one for
  // all probes, the winners by their worst loss, and what else the probes need (fallbacks.h).
  std::vector<Configuration> configurations;
  std::vector<TunedEntry> entries;    // devices in order, sizes in the order of the results
  std::string unverified;             // why wrong answers may be among them; empty: none known
  std::vector<double> weights;        // of the dimensions, for what is near; empty: all are 1
  std::vector<ExtentRange> domain{};  // of the study, where it has one
  std::optional<LearnedSelector> learned{};  // before what is near: within the domain
  std::string rule{};                        // which one that is and why, for people
  double default_slowdown = 1;               // of the default, at worst over all entries
  std::size_t default_coverage = 0;          // entries where it was measured
};

struct TableOptions {
  std::size_t max_configurations = 0;  // 0: as many as there are winners
  double within = 0;                   // 0.05: losses up to 5 % buy fewer configurations
  // An earlier export of the same source, or none. Its winners stay, so that exports do not
  // flicker, where they were measured again and the new winner is neither below the lower end of
  // their interval, nor told apart from them, nor more than 2 % better.
  const TunedTable* earlier = nullptr;
  bool spares = true;  // false: without the fallbacks beside the default, and entries' figures
  // Minimises the sum of losses, not the worst one, where max_configurations are too few. Without
  // `within` only the best few configurations of each result are considered.
  bool in_sum = false;
};

// The best configuration of each result, and the fallbacks: the configuration that was valid
// everywhere with the smallest worst-case slowdown; where that one is not valid for odd sizes or
// small devices, the fastest that is; at the end a few for sizes that none of these serves. Results
// with nothing valid are left out. Throws InputError when no result has anything valid.
TunedTable tuned_table(const Study& study, const std::vector<RankedResults>& results,
                       const TableOptions& options = {});

// Losses of every configuration that was valid in one of the results.
struct MeasuredLosses {
  std::vector<Configuration> configurations;
  std::vector<std::vector<double>> losses;  // [configuration][result]; infinite: not valid there
  std::vector<std::vector<const Trial*>> trials;  // likewise
  // losses, but infinite where the configuration is slower than the baseline beyond the interval.
  std::vector<std::vector<double>> allowed;
};

// How a configuration stands in all results, and, from that, in all but one.
struct LossesInAll {
  std::size_t measured = 0;
  std::size_t missing = 0;  // results where it was not valid or not measured
  double worst = 0;         // loss over the others
  double second = 0;        // the worst one without that result
  std::size_t worst_at = 0;
};

// Looks at results once, to make several tables of them, each in time that grows with the number of
// configurations and with that of results, not with their product. They must outlive it, as must
// the study.
class TableMaker {
 public:
  TableMaker(const Study& study, const std::vector<RankedResults>& results);

  // Those with something valid; of several for one device and size the newest.
  const std::vector<const RankedResults*>& results() const { return results_; }
  // tuned_table() of them, or of all but one.
  TunedTable table(const TableOptions& options, std::optional<std::size_t> without = {}) const;

 private:
  const Study& study_;
  std::vector<const RankedResults*> results_;
  MeasuredLosses measured_;  // a column for each of these
  LossRows allowed_;         // measured_.allowed
  std::vector<LossesInAll> in_all_;
  std::vector<std::vector<std::size_t>> best_of_each_;  // configurations, for each column
  std::vector<std::size_t> best_;                       // all of them, and the default
};

}  // namespace tuner
