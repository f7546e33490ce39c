// Learns predictors from what was measured at each size, and compares rules by leaving sizes out.

#include "tuner/deploy/domain_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/deploy/predictor_fit.h"
#include "tuner/deploy/selection.h"
#include "tuner/model/size_sampler.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/objective.h"
#include "tuner/search/ranking.h"

namespace tuner {

namespace {

constexpr std::size_t kConfigurations = 40;  // of a domain's table, where no number is given
constexpr std::size_t kLeastSizes = 4;       // fewer teach nothing that could be checked

double best_cost(const Study& study, const RankedResults& results) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : results.trials) {
    if (!is_valid(trial) || trial.outdated) continue;
    best = std::min(best, cost_of(study.objective, trial).value());
  }
  return best;
}

// The default configuration for every size.
LearnedSelector only_default(const Study& study, const TunedTable& table) {
  LearnedSelector out{study.domain->extents, {}};
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    Predictor one{d, 0};
    one.pieces.tiles.assign(study.domain->extents.size(), 0);
    one.blocks.tiles.assign(study.domain->extents.size(), 0);
    one.coefficients.assign(kPredictorTerms + study.domain->extents.size(), 0);
    out.predictors.push_back(std::move(one));
  }
  return out;
}

// ---- comparison ---------------------------------------------------------------------------------

// One way of each rule that is tried.
struct Candidate {
  SelectionRule rule = SelectionRule::kNearest;
  std::vector<double> weights{};
  std::vector<double> losses{};  // by size; NaN: not known
};

std::vector<Candidate> variants_of(std::size_t dimensions) {
  std::vector<Candidate> out{{SelectionRule::kNearest}};
  constexpr std::size_t kMostDimensions = 4;  // beyond, all weights are too many to try
  std::vector<std::vector<double>> all{{}};
  for (std::size_t d = 0; d < dimensions && dimensions <= kMostDimensions; ++d) {
    std::vector<std::vector<double>> longer;
    for (const auto& one : all) {
      for (const double weight : {0.25, 1.0, 4.0}) {
        longer.push_back(one);
        longer.back().push_back(weight);
      }
    }
    all = std::move(longer);
  }
  for (auto& weights : all) {
    const bool uneven = std::ranges::any_of(weights, [&](double w) { return w != weights[0]; });
    if (uneven) out.push_back({SelectionRule::kWeighted, std::move(weights)});
  }
  out.push_back({SelectionRule::kDefault});
  out.push_back({SelectionRule::kLearned});
  return out;
}

void apply(const Study& study, const Candidate& variant, PredictorFit& fit,
           std::optional<std::size_t> without, TunedTable& table) {
  if (variant.rule == SelectionRule::kWeighted) table.weights = variant.weights;
  if (variant.rule == SelectionRule::kDefault) table.learned = only_default(study, table);
  if (variant.rule == SelectionRule::kLearned) table.learned = fit.learned(table, without);
}

// Adds what each variant's choice loses for the size of result `at`, when that result is left out.
void leave_out(const Study& study, const TableMaker& maker, std::size_t at,
               const TableOptions& options, PredictorFit& fit, std::vector<Candidate>& variants) {
  const RankedResults& mine = *maker.results()[at];
  TunedTable table = maker.table(options, at);
  const std::vector<double> usual = table.weights;
  const double best = best_cost(study, mine);
  Selector selector(study, table, mine.device, mine.size);
  for (Candidate& variant : variants) {
    table.weights = usual;
    table.learned.reset();
    apply(study, variant, fit, at, table);
    const Selection chosen = selector.choose();
    double loss = std::numeric_limits<double>::quiet_NaN();
    if (chosen.how != Match::kUnsupported) {
      loss = fit.cost(at, table.configurations[chosen.configuration]) / best - 1;
    }
    variant.losses.push_back(loss);
  }
}

// Averages the losses at sizes where the choice was measured; infinite if these are less than half.
RuleLoss loss_of(const Candidate& variant) {
  RuleLoss out;
  out.losses = variant.losses;
  for (const double loss : variant.losses) {
    if (std::isnan(loss)) continue;
    ++out.measured;
    out.expected += loss;
    out.worst = std::max(out.worst, loss);
  }
  const bool enough = out.measured > 0 && 2 * out.measured >= variant.losses.size();
  out.expected = enough ? out.expected / static_cast<double>(out.measured)
                        : std::numeric_limits<double>::infinity();
  return out;
}

TableOptions options_of_domain(TableOptions options) {
  if (options.max_configurations == 0) options.max_configurations = kConfigurations;
  options.in_sum = true;  // of hundreds of sizes one that is odd does not decide
  return options;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string comparison_text(const RuleComparison& compared) {
  const RuleLoss& best = compared.rules[static_cast<std::size_t>(compared.best)];
  std::string out = fmt::format(
      "{}: expected loss {}, worst {}, each of {} sizes left out in turn, the choice measured at "
      "{}",
      name_of(compared.best), percent(best.expected), percent(best.worst), compared.sizes.size(),
      best.measured);
  for (std::size_t i = 0; i < compared.rules.size(); ++i) {
    const auto rule = static_cast<SelectionRule>(i);
    if (rule == compared.best) continue;
    const RuleLoss& other = compared.rules[i];
    out += std::isinf(other.expected)
               ? fmt::format("; {} not known", name_of(rule))
               : fmt::format("; {} {}, worst {}, measured at {}", name_of(rule),
                             percent(other.expected), percent(other.worst), other.measured);
  }
  return out;
}

}  // namespace

std::string name_of(SelectionRule rule) {
  constexpr std::array<const char*, 4> kNames{"nearest size", "nearest size with weights",
                                              "the default configuration", "learned predictors"};
  return kNames.at(static_cast<std::size_t>(rule));
}

RuleComparison compare_rules(const Study& study, Learning& learning, const TableOptions& options) {
  const TableMaker& maker = learning.maker;
  RuleComparison out;
  if (maker.results().size() < kLeastSizes) return out;
  TableOptions without = options_of_domain(options);
  without.earlier = nullptr;
  without.spares = false;
  std::vector<Candidate> variants = variants_of(study.domain->extents.size());
  for (std::size_t i = 0; i < maker.results().size(); ++i) {
    leave_out(study, maker, i, without, learning.fit, variants);
    out.sizes.push_back(maker.results()[i]->size);
  }
  for (std::size_t r = 0; r < out.rules.size(); ++r) {
    out.rules[r].expected = std::numeric_limits<double>::infinity();
  }
  for (const Candidate& variant : variants) {
    RuleLoss& rule = out.rules[static_cast<std::size_t>(variant.rule)];
    RuleLoss now = loss_of(variant);
    if (!(now.expected < rule.expected)) continue;
    rule = std::move(now);
    if (variant.rule == SelectionRule::kWeighted) out.weights = variant.weights;
  }
  const auto best = std::ranges::min_element(out.rules, {}, &RuleLoss::expected);
  if (std::isinf(best->expected)) out.sizes.clear();  // nothing is known
  out.best = static_cast<SelectionRule>(best - out.rules.begin());
  return out;
}

namespace {

// With the best rule of the comparison.
TunedTable table_by(const RuleComparison& compared, const Study& study, Learning& learning,
                    const TableOptions& options) {
  TunedTable table = learning.maker.table(options_of_domain(options));
  table.domain = study.domain->extents;
  if (compared.sizes.empty()) {
    table.rule = "nearest size: too few sizes were tuned to compare rules";
    return table;
  }
  apply(study, {compared.best, compared.weights, {}}, learning.fit, {}, table);
  table.rule = comparison_text(compared);
  return table;
}

}  // namespace

TunedTable exported_table(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options) {
  if (!study.domain) return tuned_table(study, results, options);
  Learning learning(study, results);
  return table_by(compare_rules(study, learning, options), study, learning, options);
}

namespace {

// Estimates the loss at a size from the losses at tuned ones: the nearer these are, the more they
// count.
double expected_loss(const RuleComparison& compared, const std::vector<double>& losses,
                     const SizeDistance& distance, const ProblemSize& size) {
  double sum = 0;
  double loss = 0;
  for (std::size_t i = 0; i < compared.sizes.size(); ++i) {
    if (std::isnan(losses[i])) continue;
    const double near = 1 / (0.1 + distance.log2_sq(distance.between(size, compared.sizes[i])));
    sum += near;
    loss += near * losses[i];
  }
  return loss / sum;
}

// Describes `count` sizes for each device that were not tuned there, or fewer where there are no
// more.
std::string untuned_report(const Study& study, const TunedTable& table,
                           const RuleComparison& compared, const std::vector<double>& losses,
                           std::size_t count) {
  const SizeDistance distance(table.weights);
  const auto drawn = distinct_sizes(*study.domain, count + table.entries.size(), 1);
  std::string out =
      "sizes of the domain that were not tuned, and the loss that is expected there:\n";
  std::vector<std::size_t> told(table.devices.size());
  for (const ProblemSize& size : drawn) {
    const double loss = expected_loss(compared, losses, distance, size);
    for (std::size_t d = 0; d < table.devices.size(); ++d) {
      const Selection chosen = select(study, table, table.devices[d], size);
      if (chosen.how == Match::kExact || told[d]++ >= count) continue;
      out += fmt::format(
          "  {} {}: {}, {}\n", table.devices[d].name, size.label(), name_of(chosen.how),
          chosen.how == Match::kUnsupported ? "nothing valid to select" : percent(loss));
    }
  }
  return out;
}

}  // namespace

std::string domain_report(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options, std::size_t count) {
  Learning learning(study, results);
  const RuleComparison compared = compare_rules(study, learning, options);
  if (compared.sizes.empty()) return "too few sizes were tuned to compare rules\n";
  std::string out =
      "sizes other than the tuned ones are answered by " + comparison_text(compared) + "\n";
  const TunedTable table = table_by(compared, study, learning, options);
  const std::vector<double>& losses =
      compared.rules[static_cast<std::size_t>(compared.best)].losses;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    out += "  " + compared.sizes[i].label() + ": " +
           (std::isnan(losses[i]) ? "the choice was not measured there"
                                  : percent(losses[i]) + " slower than its own best") +
           "\n";
  }
  return out + untuned_report(study, table, compared, losses, count);
}

namespace {

// Looks up what the selected configuration cost in results that the table was made without.
void measure(const Study& study, const RankedResults& results, LeftOut& row) {
  const auto found = std::ranges::find_if(results.trials, [&](const Trial& trial) {
    return trial.configuration == row.configuration && is_valid(trial);
  });
  if (found == results.trials.end()) return;
  row.dropped = found->state == TrialState::kDropped;
  row.loss = loss_of(study, results, *found);
}

LeftOut left_out(const Study& study, const TableMaker& maker, std::size_t at,
                 const TableOptions& options) {
  const RankedResults& mine = *maker.results()[at];
  const TunedTable table = maker.table(options, at);
  const Selection chosen = select(study, table, mine.device, mine.size);
  LeftOut row{mine.device.name, mine.size, table.configurations[chosen.configuration], chosen.how,
              chosen.log2_distance_sq};
  if (chosen.how != Match::kUnsupported) measure(study, mine, row);
  return row;
}

}  // namespace

LeaveOneOut leave_one_out(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options) {
  const TableMaker maker(study, results);
  const std::size_t count = maker.results().size();
  if (count < 2) {
    reject(study.file.string(), "leaving one size out needs at least two tuned ones; there " +
                                    std::string(count == 0 ? "is none" : "is one"));
  }
  LeaveOneOut out;
  std::vector<double> losses;
  for (std::size_t i = 0; i < count; ++i) {
    out.rows.push_back(left_out(study, maker, i, options));
    if (!std::isnan(out.rows.back().loss)) losses.push_back(out.rows.back().loss);
  }
  out.measured = losses.size();
  if (losses.empty()) return out;
  out.worst = std::ranges::max(losses);
  out.median = median(std::move(losses));
  return out;
}

std::string report(const LeaveOneOut& evaluation) {
  std::string out = "each size left out in turn, and what would be selected for it:\n";
  for (const LeftOut& row : evaluation.rows) {
    std::string loss = "not measured here";
    if (row.how == Match::kUnsupported) {
      loss = "nothing valid to select";
    } else if (!std::isnan(row.loss)) {
      loss = fmt::format("{:.1f} % slower than its own best{}", 100 * row.loss,
                         row.dropped ? " (by a short probe)" : "");
    }
    out += fmt::format("  {} {}: {}, distance {:.2f}: {}\n", row.device, row.size.label(),
                       name_of(row.how), std::sqrt(row.log2_distance_sq), loss);
  }
  if (evaluation.measured > 0) {
    out += fmt::format("median loss {:.1f} %, worst {:.1f} %", 100 * evaluation.median,
                       100 * evaluation.worst);
  } else {
    out += "no loss is known";
  }
  return out + fmt::format(", over {} of {} sizes\n", evaluation.measured, evaluation.rows.size());
}

}  // namespace tuner
