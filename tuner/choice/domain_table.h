#pragma once
// What an export of a domain holds: the table of tuned sizes, and the rule by which other sizes are
// answered, chosen by trying each rule on sizes that were left out.

#include <array>
#include <string>
#include <vector>

#include "tuner/choice/tuned_table.h"

namespace tuner {

// In the order of their simplicity: of equals the first is taken.
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

// Each size in turn is left out, and each rule chooses for it from what the others tell. The losses
// are of search figures. Where a rule's choice was not measured the size does not count for it; a
// rule of which that is more than half is not taken.
RuleComparison compare_rules(const Study& study, const std::vector<RankedResults>& results,
                             const TableOptions& options);

// tuned_table(), for a study with a domain with the best rule of the comparison in it. Without
// max_configurations a domain's table has at most 32 beside the fallbacks.
TunedTable exported_table(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options);

// What the comparison found, and `count` sizes of the domain that nobody tuned: what is selected,
// and the loss that is expected there, from those of the left out sizes around.
std::string domain_report(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options, std::size_t count);

}  // namespace tuner
