// Learns predictors from what was measured at each size, and compares rules by leaving sizes out.

#include "tuner/exporters/domain_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "tuner/engine/launch_features.h"
#include "tuner/engine/least_squares.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/size_sampler.h"
#include "tuner/exporters/selection.h"

namespace tuner {
namespace {

constexpr std::size_t kConfigurations = 24;  // of a domain's table, where no number is given
constexpr std::size_t kLeastSizes = 4;       // fewer teach nothing that could be checked
// How much a configuration's predictor is pulled towards that of all: where it was measured at few
// sizes, these do not tell its parts apart.
constexpr double kPull = 0.1;
constexpr double kLeastPull = 4e-4;  // of all, towards nothing, so that there is an answer

const Trial* trial_of(const RankedResults& results, const Configuration& configuration) {
  const auto at = std::ranges::find_if(results.trials, [&](const Trial& trial) {
    return is_valid(trial) && !trial.outdated && trial.configuration == configuration;
  });
  return at == results.trials.end() ? nullptr : &*at;
}

double best_cost(const Study& study, const RankedResults& results) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : results.trials) {
    if (!is_valid(trial) || trial.outdated) continue;
    best = std::min(best, cost_of(study.objective, trial).value());
  }
  return best;
}

std::vector<RankedResults> useful_ones(const std::vector<RankedResults>& results) {
  std::vector<RankedResults> useful;
  for (const RankedResults& one : results) {
    if (one.ranked > 0 && one.trials.front().state == TrialState::kOk) useful.push_back(one);
  }
  return useful;
}

bool is_of(const RankedResults& results, const DeviceFacts& device) {
  return results.device.name == device.name &&
         results.device.compute_capability == device.compute_capability;
}

// ---- predictors ---------------------------------------------------------------------------------

// How the configuration's grid is made of tiles, as far as it is at all sizes where it was
// measured.
void set_tiles(const Study& study, const DeviceFacts& device,
               const std::vector<const RankedResults*>& results, const Configuration& configuration,
               Predictor& predictor) {
  for (const double tile : tiles_of(study, configuration, device, results.front()->size).tile) {
    const double whole = std::round(tile);
    const bool is_tile = whole >= 1 && whole < 1e9 && std::fabs(tile - whole) < 1e-6;
    predictor.tiles.push_back(is_tile ? static_cast<std::int64_t>(whole) : 0);
  }
  std::set<std::int64_t> blocks;
  for (const RankedResults* one : results) {
    const auto launch =
        geometry(study.launch, bindings_of(study, configuration, device, one->size));
    if (!launch) continue;
    std::int64_t left = std::int64_t{launch->grid[0]} * launch->grid[1] * launch->grid[2];
    for (std::size_t d = 0; d < predictor.tiles.size(); ++d) {
      const std::int64_t tile = predictor.tiles[d];
      if (tile == 0) continue;
      const std::int64_t tiles = (one->size.dims[d].second + tile - 1) / tile;
      left = left % tiles == 0 ? left / tiles : 0;
    }
    blocks.insert(left);
    const Trial* trial = trial_of(*one, configuration);
    if (trial == nullptr || !(trial->occupancy > 0)) continue;
    const double threads = trial->occupancy *
                           static_cast<double>(device.max_threads_per_multiprocessor) /
                           static_cast<double>(launch->threads_per_block());
    predictor.resident = std::max<std::int64_t>(1, std::llround(threads));
  }
  predictor.blocks = blocks.size() == 1 ? *blocks.begin() : 0;
}

using Rows = std::vector<std::vector<double>>;

// The features at each size where the configuration was measured, as shares of the cost there.
Rows shares(const Study& study, const DeviceFacts& device,
            const std::vector<const RankedResults*>& results, const Configuration& configuration,
            const Predictor& predictor) {
  Rows rows;
  for (const RankedResults* one : results) {
    const Trial* trial = trial_of(*one, configuration);
    if (trial == nullptr) continue;
    const double cost = cost_of(study.objective, *trial).value();
    // A file may hold the final's figure only.
    if (!std::isfinite(cost) || cost <= 0) continue;
    const auto features = predictor_features(predictor, device.multiprocessors, one->size);
    auto& row = rows.emplace_back(features.begin(), features.end());
    for (double& feature : row) feature /= cost;
  }
  return rows;
}

std::vector<double> fitted(const Rows& rows, const std::vector<double>& usual, double pull) {
  return nonnegative_coefficients(rows, std::vector<double>(rows.size(), 1), usual, pull);
}

void add_predictors(const Study& study, const TunedTable& table, std::size_t device,
                    const std::vector<RankedResults>& results, LearnedSelector& out) {
  const DeviceFacts& facts = table.devices[device];
  std::vector<const RankedResults*> here;
  for (const RankedResults& one : results) {
    if (is_of(one, facts)) here.push_back(&one);
  }
  if (here.empty()) return;
  std::set<std::size_t> used;
  for (const TunedEntry& entry : table.entries) {
    if (entry.device == device) used.insert(entry.configuration);
  }
  std::vector<std::pair<Predictor, Rows>> measured;
  Rows all;
  for (const std::size_t c : used) {
    const Configuration& configuration = table.configurations[c];
    Predictor predictor{device, c};
    set_tiles(study, facts, here, configuration, predictor);
    Rows rows = shares(study, facts, here, configuration, predictor);
    if (rows.empty()) continue;
    all.insert(all.end(), rows.begin(), rows.end());
    measured.emplace_back(std::move(predictor), std::move(rows));
  }
  if (all.empty()) return;
  const auto usual = fitted(all, std::vector<double>(kPredictorFeatures), kLeastPull);
  for (auto& [predictor, rows] : measured) {
    predictor.coefficients = fitted(rows, usual, kPull);
    out.predictors.push_back(std::move(predictor));
  }
}

LearnedSelector learned(const Study& study, const TunedTable& table,
                        const std::vector<RankedResults>& results) {
  LearnedSelector out{study.domain->extents, {}};
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    add_predictors(study, table, d, results, out);
  }
  return out;
}

// The default configuration for every size.
LearnedSelector only_default(const Study& study, const TunedTable& table) {
  LearnedSelector out{study.domain->extents, {}};
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    Predictor one{d, 0};
    one.tiles.assign(study.domain->extents.size(), 0);
    one.coefficients.assign(kPredictorFeatures, 0);
    out.predictors.push_back(std::move(one));
  }
  return out;
}

// ---- comparison ---------------------------------------------------------------------------------

// One way of each rule that is tried.
struct Variant {
  SelectionRule rule = SelectionRule::kNearest;
  std::vector<double> weights{};
  std::vector<double> losses{};  // by size; NaN: not known
};

std::vector<Variant> variants_of(std::size_t dimensions) {
  std::vector<Variant> out{{SelectionRule::kNearest}};
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

void apply(const Study& study, const std::vector<RankedResults>& results, const Variant& variant,
           TunedTable& table) {
  if (variant.rule == SelectionRule::kWeighted) table.weights = variant.weights;
  if (variant.rule == SelectionRule::kDefault) table.learned = only_default(study, table);
  if (variant.rule == SelectionRule::kLearned) table.learned = learned(study, table, results);
}

// What each variant's choice for the size at `out` loses, when that is left out.
void leave_out(const Study& study, std::vector<RankedResults> results, std::size_t at,
               const TableOptions& options, std::vector<Variant>& variants) {
  const RankedResults mine = std::move(results[at]);
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(at));
  const TunedTable table = tuned_table(study, results, options);
  const double best = best_cost(study, mine);
  for (Variant& variant : variants) {
    TunedTable with = table;
    apply(study, results, variant, with);
    const Selection chosen = select(study, with, mine.device, mine.size);
    const Trial* trial = chosen.how == Match::kUnsupported
                             ? nullptr
                             : trial_of(mine, with.configurations[chosen.configuration]);
    double loss = std::numeric_limits<double>::quiet_NaN();
    if (trial != nullptr) loss = cost_of(study.objective, *trial).value() / best - 1;
    variant.losses.push_back(loss);
  }
}

// Of the sizes where the choice was measured; infinite where these are less than half.
RuleLoss loss_of(const Variant& variant) {
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

RuleComparison compare_rules(const Study& study, const std::vector<RankedResults>& results,
                             const TableOptions& options) {
  const std::vector<RankedResults> useful = useful_ones(results);
  RuleComparison out;
  if (useful.size() < kLeastSizes) return out;
  TableOptions without = options_of_domain(options);
  without.earlier = nullptr;
  without.spares = false;
  std::vector<Variant> variants = variants_of(study.domain->extents.size());
  for (std::size_t i = 0; i < useful.size(); ++i) {
    leave_out(study, useful, i, without, variants);
    out.sizes.push_back(useful[i].size);
  }
  for (std::size_t r = 0; r < out.rules.size(); ++r) {
    out.rules[r].expected = std::numeric_limits<double>::infinity();
  }
  for (const Variant& variant : variants) {
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
TunedTable table_by(const RuleComparison& compared, const Study& study,
                    const std::vector<RankedResults>& results, const TableOptions& options) {
  TunedTable table = tuned_table(study, results, options_of_domain(options));
  table.domain = study.domain->extents;
  if (compared.sizes.empty()) {
    table.rule = "nearest size: too few sizes were tuned to compare rules";
    return table;
  }
  apply(study, useful_ones(results), {compared.best, compared.weights, {}}, table);
  table.rule = comparison_text(compared);
  return table;
}

}  // namespace

TunedTable exported_table(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options) {
  if (!study.domain) return tuned_table(study, results, options);
  return table_by(compare_rules(study, results, options), study, results, options);
}

std::string domain_report(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options, std::size_t count) {
  const RuleComparison compared = compare_rules(study, results, options);
  if (compared.sizes.empty()) return "too few sizes were tuned to compare rules\n";
  std::string out =
      "sizes other than the tuned ones are answered by " + comparison_text(compared) + "\n";
  const TunedTable table = table_by(compared, study, results, options);
  const std::vector<double>& losses =
      compared.rules[static_cast<std::size_t>(compared.best)].losses;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    out += "  " + compared.sizes[i].label() + ": " +
           (std::isnan(losses[i]) ? "the choice was not measured there"
                                  : percent(losses[i]) + " slower than its own best") +
           "\n";
  }
  const SizeDistance distance(table.weights);
  out += "sizes of the domain that were not tuned, and the loss that is expected there:\n";
  for (const ProblemSize& size : distinct_sizes(*study.domain, count, 1)) {
    double sum = 0;
    double loss = 0;
    for (std::size_t i = 0; i < compared.sizes.size(); ++i) {
      if (std::isnan(losses[i])) continue;
      const double near = 1 / (0.1 + distance.log2_sq(distance.between(size, compared.sizes[i])));
      sum += near;
      loss += near * losses[i];
    }
    for (const DeviceFacts& device : table.devices) {
      const Selection chosen = select(study, table, device, size);
      out += fmt::format(
          "  {} {}: {}, {}\n", device.name, size.label(), name_of(chosen.how),
          chosen.how == Match::kUnsupported ? "nothing valid to select" : percent(loss / sum));
    }
  }
  return out;
}

}  // namespace tuner
