#pragma once
// Export of a domain: the table of tuned sizes, and the rule by which other sizes are answered,
// chosen by trying each rule on sizes that were left out.

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "tuner/deploy/predictor_fit.h"
#include "tuner/deploy/selection.h"
#include "tuner/deploy/tuned_table.h"

namespace tuner {

// Rules in the order of their simplicity: of equals the first is taken.
enum class SelectionRule { kNearest, kWeighted, kDefault, kLearned };
std::string name_of(SelectionRule rule);

struct RuleLoss {
  // Mean over the sizes that were left out; 0.05: 5 % slower than the best. Infinite: not known.
  double expected = 0;
  double worst = 0;
  std::vector<double> losses{};  // of each of the sizes; NaN where the choice was not measured
  std::size_t measured = 0;      // of these
};

struct RuleComparison {
  std::vector<ProblemSize> sizes;  // that were left out in turn
  std::array<RuleLoss, 4> rules;
  SelectionRule best = SelectionRule::kNearest;
  std::vector<double> weights{};  // of the dimensions, for kWeighted
};

// Results that were looked at once, for a comparison and the table that follows from it. They must
// outlive it, as must the study.
struct Learning {
  Learning(const Study& study, const std::vector<RankedResults>& results)
      : maker(study, results), fit(study, maker.results()) {}
  TableMaker maker;
  PredictorFit fit;
};

// Each size in turn is left out, and each rule chooses for it from what the others tell. The losses
// are of search figures. Where a rule's choice was not measured the size does not count for it; a
// rule of which that is more than half is not taken.
RuleComparison compare_rules(const Study& study, Learning& learning, const TableOptions& options);

// tuned_table(), for a study with a domain with the best rule of the comparison in it. Without
// max_configurations a domain's table has at most 40 beside the fallbacks.
TunedTable exported_table(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options);

// Reports what the comparison found, and `count` sizes of the domain that were not tuned: what is
// selected, and the loss that is expected there, from those of the left out sizes around.
std::string domain_report(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options, std::size_t count);

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
