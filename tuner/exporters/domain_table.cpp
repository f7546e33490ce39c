// Learns predictors from what was measured at each size, and compares rules by leaving sizes out.

#include "tuner/exporters/domain_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "tuner/engine/launch_features.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/ridge.h"
#include "tuner/engine/size_sampler.h"
#include "tuner/exporters/selection.h"

namespace tuner {
namespace {

constexpr std::size_t kConfigurations = 8;  // of a domain's table, where no number is given
constexpr std::size_t kLeastSizes = 4;      // fewer teach nothing that could be checked
constexpr double kPenalties[]{0.1, 1, 10};
constexpr int kRounds = 8;  // of fitting sizes and configurations by turns

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

// Units in which the features are of about the same size.
std::vector<double> scales(std::size_t dimensions) {
  std::vector<double> out{1.0 / 256};
  out.insert(out.end(), dimensions, 1.0 / 1024);
  out.insert(out.end(), dimensions * (dimensions + 1) / 2, 1.0 / 4096);
  out.insert(out.end(), dimensions + 1, 1.0 / 256);
  return out;
}

// log2 of the costs on one device, of each configuration at each size; what is not known is not
// there.
struct Cell {
  std::size_t predictor = 0;
  std::size_t size = 0;
  std::vector<double> row{};
  double cost = 0;
};

// Time = what the size takes, times what the configuration makes of it: fitted by turns.
void fit(const std::vector<Cell>& cells, std::size_t sizes, double penalty,
         std::vector<Predictor>& predictors) {
  std::vector<double> of_size(sizes, 0.0);
  std::vector<double> told(cells.size(), 0.0);
  const std::vector<double> units = scales(predictors.front().tiles.size());
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> sums(sizes, 0.0);
    std::vector<double> counts(sizes, 0.0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      sums[cells[i].size] += cells[i].cost - told[i];
      ++counts[cells[i].size];
    }
    for (std::size_t s = 0; s < sizes; ++s) of_size[s] = counts[s] > 0 ? sums[s] / counts[s] : 0;
    for (std::size_t p = 0; p < predictors.size(); ++p) {
      std::vector<std::vector<double>> rows;
      std::vector<double> values;
      for (const Cell& cell : cells) {
        if (cell.predictor != p) continue;
        rows.push_back(cell.row);
        values.push_back(cell.cost - of_size[cell.size]);
      }
      const std::vector<double> weights = ridge_weights(rows, values, penalty);
      predictors[p].weights.clear();
      for (std::size_t w = 0; w < weights.size(); ++w) {
        predictors[p].weights.push_back(std::llround(weights[w] * units[w] * 0x1p24));
      }
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].predictor != p) continue;
        told[i] = std::inner_product(weights.begin(), weights.end(), cells[i].row.begin(), 0.0);
      }
    }
  }
}

void add_predictors(const Study& study, const TunedTable& table, std::size_t device,
                    const std::vector<RankedResults>& results, double penalty,
                    LearnedSelector& out) {
  const DeviceFacts& facts = table.devices[device];
  std::vector<const RankedResults*> here;
  for (const RankedResults& one : results) {
    if (is_of(one, facts)) here.push_back(&one);
  }
  std::set<std::size_t> used;
  for (const TunedEntry& entry : table.entries) {
    if (entry.device == device) used.insert(entry.configuration);
  }
  if (here.empty() || used.empty()) return;
  std::vector<Predictor> predictors;
  std::vector<Cell> cells;
  const std::vector<double> units = scales(here.front()->size.dims.size());
  for (const std::size_t c : used) {
    const Configuration& configuration = table.configurations[c];
    Predictor predictor{device, c};
    set_tiles(study, facts, here, configuration, predictor);
    for (std::size_t s = 0; s < here.size(); ++s) {
      const Trial* trial = trial_of(*here[s], configuration);
      if (trial == nullptr) continue;
      const double cost = cost_of(study.objective, *trial).value();
      if (!std::isfinite(cost)) continue;  // a file may hold the final's figure only
      Cell cell{predictors.size(), s, {}, std::log2(cost)};
      const auto features = predictor_features(predictor, facts.multiprocessors, here[s]->size);
      for (std::size_t f = 0; f < features.size(); ++f) {
        cell.row.push_back(static_cast<double>(features[f]) * units[f]);
      }
      cells.push_back(std::move(cell));
    }
    predictors.push_back(std::move(predictor));
  }
  fit(cells, here.size(), penalty, predictors);
  for (Predictor& one : predictors) out.predictors.push_back(std::move(one));
}

LearnedSelector learned(const Study& study, const TunedTable& table,
                        const std::vector<RankedResults>& results, double penalty) {
  LearnedSelector out{study.domain->extents, {}};
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    add_predictors(study, table, d, results, penalty, out);
  }
  return out;
}

// The default configuration for every size.
LearnedSelector only_default(const Study& study, const TunedTable& table) {
  LearnedSelector out{study.domain->extents, {}};
  const std::size_t dimensions = study.domain->extents.size();
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    Predictor one{d, 0};
    one.tiles.assign(dimensions, 0);
    one.weights.assign(scales(dimensions).size(), 0);
    out.predictors.push_back(std::move(one));
  }
  return out;
}

// ---- comparison ---------------------------------------------------------------------------------

// One way of each rule that is tried.
struct Variant {
  SelectionRule rule = SelectionRule::kNearest;
  std::vector<double> weights{};
  double penalty = 1;
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
  for (const double penalty : kPenalties) out.push_back({SelectionRule::kLearned, {}, penalty});
  return out;
}

void apply(const Study& study, const std::vector<RankedResults>& results, const Variant& variant,
           TunedTable& table) {
  if (variant.rule == SelectionRule::kWeighted) table.weights = variant.weights;
  if (variant.rule == SelectionRule::kDefault) table.learned = only_default(study, table);
  if (variant.rule == SelectionRule::kLearned) {
    table.learned = learned(study, table, results, variant.penalty);
  }
}

// What each variant's choice for the size at `out` loses, when that is left out.
void leave_out(const Study& study, std::vector<RankedResults> results, std::size_t at,
               const TableOptions& options, std::vector<Variant>& variants) {
  const RankedResults mine = std::move(results[at]);
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(at));
  const TunedTable table = tuned_table(study, results, options);
  const double best = best_cost(study, mine);
  double worst = -1;
  for (Variant& variant : variants) {
    TunedTable with = table;
    apply(study, results, variant, with);
    const Selection chosen = select(study, with, mine.device, mine.size);
    const Trial* trial = chosen.how == Match::kUnsupported
                             ? nullptr
                             : trial_of(mine, with.configurations[chosen.configuration]);
    double loss = std::numeric_limits<double>::quiet_NaN();
    if (trial != nullptr) loss = cost_of(study.objective, *trial).value() / best - 1;
    if (!std::isnan(loss)) worst = std::max(worst, loss);
    variant.losses.push_back(loss);
  }
  if (worst < 0) return;
  for (Variant& variant : variants) {
    if (std::isnan(variant.losses.back())) variant.losses.back() = worst;
  }
}

RuleLoss loss_of(const Variant& variant) {
  RuleLoss out;
  for (const double loss : variant.losses) {
    out.losses.push_back(loss);
    out.expected += loss / static_cast<double>(variant.losses.size());
    out.worst = std::max(out.worst, loss);
  }
  return out;
}

TableOptions options_of_domain(TableOptions options) {
  if (options.max_configurations == 0) options.max_configurations = kConfigurations;
  return options;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string comparison_text(const RuleComparison& compared) {
  const RuleLoss& best = compared.rules[static_cast<std::size_t>(compared.best)];
  std::string out = fmt::format("{}: expected loss {}, worst {}, each of {} sizes left out in turn",
                                name_of(compared.best), percent(best.expected), percent(best.worst),
                                compared.sizes.size());
  for (std::size_t i = 0; i < compared.rules.size(); ++i) {
    const auto rule = static_cast<SelectionRule>(i);
    if (rule == compared.best) continue;
    out += fmt::format("; {} {}, worst {}", name_of(rule), percent(compared.rules[i].expected),
                       percent(compared.rules[i].worst));
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
    const bool known = !std::isnan(variants.front().losses.back());
    if (known) out.sizes.push_back(useful[i].size);
    for (Variant& variant : variants) {
      if (!known) variant.losses.pop_back();
    }
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
    if (variant.rule == SelectionRule::kLearned) out.penalty = variant.penalty;
  }
  const auto best = std::ranges::min_element(out.rules, {}, &RuleLoss::expected);
  out.best = static_cast<SelectionRule>(best - out.rules.begin());
  return out;
}

TunedTable exported_table(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options) {
  if (!study.domain) return tuned_table(study, results, options);
  const RuleComparison compared = compare_rules(study, results, options);
  TunedTable table = tuned_table(study, results, options_of_domain(options));
  table.domain = study.domain->extents;
  if (compared.sizes.empty()) {
    table.rule = "nearest size: too few sizes were tuned to compare rules";
    return table;
  }
  apply(study, useful_ones(results), {compared.best, compared.weights, compared.penalty, {}},
        table);
  table.rule = comparison_text(compared);
  return table;
}

std::string domain_report(const Study& study, const std::vector<RankedResults>& results,
                          const TableOptions& options, std::size_t count) {
  const RuleComparison compared = compare_rules(study, results, options);
  if (compared.sizes.empty()) return "too few sizes were tuned to compare rules\n";
  std::string out =
      "sizes other than the tuned ones are answered by " + comparison_text(compared) + "\n";
  const TunedTable table = exported_table(study, results, options);
  const std::vector<double>& losses =
      compared.rules[static_cast<std::size_t>(compared.best)].losses;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    out += fmt::format("  {}: {} slower than its own best\n", compared.sizes[i].label(),
                       percent(losses[i]));
  }
  const SizeDistance distance(table.weights);
  out += "sizes of the domain that were not tuned, and the loss that is expected there:\n";
  for (const ProblemSize& size : distinct_sizes(*study.domain, count, 1)) {
    double sum = 0;
    double loss = 0;
    for (std::size_t i = 0; i < compared.sizes.size(); ++i) {
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
