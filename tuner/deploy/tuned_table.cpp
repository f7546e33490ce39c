// Chooses a configuration for each device and size.

#include "tuner/deploy/tuned_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/deploy/fallbacks.h"
#include "tuner/model/size_sampler.h"
#include "tuner/search/ranking.h"

namespace tuner {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The most that an earlier winner may lose against the new one and stay, however wide the intervals
// are.
constexpr double kMostKeptLoss = 0.02;

// A result on its device: it gives the loss of every configuration that was valid there.
struct Row {
  const RankedResults* results = nullptr;
  std::size_t device = 0;
  std::size_t column = 0;  // of the measured losses
};

// The material of a table: some of the configurations that were measured, in all results or in all
// but one.
struct Part {
  const MeasuredLosses& all;
  const LossRows& allowed;  // of `all`
  const std::vector<LossesInAll>& in_all;
  const std::vector<std::vector<std::size_t>>& best_of_each;
  std::vector<std::size_t> configurations;
  std::size_t without = Covering::kNone;
};

// Keeps the newest result with a valid winner for each device and size.
std::vector<const RankedResults*> newest_ones(const std::vector<RankedResults>& results) {
  std::map<std::tuple<std::string, int, std::string>, const RankedResults*> newest;
  const auto key = [](const RankedResults& one) {
    return std::tuple(one.device.name, one.device.compute_capability, one.size.label());
  };
  for (const RankedResults& one : results) {
    if (one.ranked == 0 || one.trials.front().state != TrialState::kOk) continue;
    const auto [at, fresh] = newest.emplace(key(one), &one);
    if (!fresh && at->second->date <= one.date) at->second = &one;
  }
  std::vector<const RankedResults*> out;
  for (const RankedResults& one : results) {
    const auto found = newest.find(key(one));
    if (found != newest.end() && found->second == &one) out.push_back(&one);
  }
  return out;
}

// By device, the devices in the order in which they come.
std::vector<Row> rows_of(const std::vector<const RankedResults*>& results, TunedTable& table) {
  std::vector<Row> rows;
  for (const RankedResults* one : results) {
    const DeviceFacts& device = one->device;
    auto at = std::ranges::find_if(table.devices,
                                   [&](const auto& known) { return is_one_model(known, device); });
    if (at == table.devices.end()) {
      table.devices.push_back(device);
      table.compilers.push_back(one->compiler);
      at = std::prev(table.devices.end());
    }
    rows.push_back({one, static_cast<std::size_t>(at - table.devices.begin())});
  }
  std::ranges::stable_sort(rows, {}, &Row::device);
  return rows;
}

// Over the baseline; empty where there is none or it is not ranked.
std::optional<Speedup> speedup_of(const RankedResults& results, const Trial& trial) {
  const auto at = static_cast<std::size_t>(&trial - results.trials.data());
  if (!results.baseline || at >= results.baseline->speedups.size()) return std::nullopt;
  return results.baseline->speedups[at];
}

MeasuredLosses measured(const Study& study, const std::vector<const RankedResults*>& rows) {
  MeasuredLosses all;
  std::map<Configuration, std::size_t> known;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RankedResults& results = *rows[r];
    for (std::size_t i = 0; i < results.ranked; ++i) {
      const Trial& trial = results.trials[i];
      if (trial.state != TrialState::kOk) continue;
      const auto [at, fresh] = known.emplace(trial.configuration, all.configurations.size());
      if (fresh) {
        all.configurations.push_back(trial.configuration);
        all.losses.emplace_back(rows.size(), kInfinity);
        all.trials.emplace_back(rows.size(), nullptr);
        all.allowed.emplace_back(rows.size(), kInfinity);
      }
      all.losses[at->second][r] = loss_of(study, results, trial);
      all.trials[at->second][r] = &trial;
      const auto speedup = speedup_of(results, trial);
      if (speedup && speedup->high < 1) continue;
      all.allowed[at->second][r] = all.losses[at->second][r];
    }
  }
  return all;
}

LossesInAll in_all(const std::vector<double>& losses, const std::vector<const Trial*>& trials) {
  LossesInAll out;
  for (std::size_t r = 0; r < losses.size(); ++r) {
    if (trials[r] != nullptr) ++out.measured;
    if (losses[r] == kInfinity) {
      ++out.missing;
    } else if (losses[r] > out.worst) {
      out.second = out.worst;
      out.worst = losses[r];
      out.worst_at = r;
    } else {
      out.second = std::max(out.second, losses[r]);
    }
  }
  return out;
}

// Selects the configurations that lose least in each result.
std::vector<std::vector<std::size_t>> best_of_each(const MeasuredLosses& all) {
  constexpr std::size_t kBest = 3;
  std::vector<std::vector<std::size_t>> best(all.losses.empty() ? 0 : all.losses[0].size());
  for (std::size_t r = 0; r < best.size(); ++r) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t c = 0; c < all.losses.size(); ++c) {
      if (all.losses[c][r] < kInfinity) order.emplace_back(all.losses[c][r], c);
    }
    const auto few = static_cast<std::ptrdiff_t>(std::min(kBest, order.size()));
    std::ranges::partial_sort(order, order.begin() + few);
    for (auto one = order.begin(); one != order.begin() + few; ++one) {
      best[r].push_back(one->second);
    }
  }
  return best;
}

// Each once, in order.
std::vector<std::size_t> joined_best(const std::vector<std::vector<std::size_t>>& best_of_each,
                                     std::size_t without) {
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < best_of_each.size(); ++r) {
    if (r != without) out.insert(out.end(), best_of_each[r].begin(), best_of_each[r].end());
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::size_t> every_one(const MeasuredLosses& all) {
  std::vector<std::size_t> out(all.configurations.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

struct Standing {
  std::size_t missing = 0;  // rows where it was not valid or not measured
  double worst = 0;         // loss over the others
  std::size_t configuration = 0;
  auto operator<=>(const Standing&) const = default;
};

std::vector<Standing> standings(const Part& part) {
  std::vector<Standing> order;
  for (const std::size_t c : part.configurations) {
    const LossesInAll& own = part.in_all[c];
    Standing standing{own.missing, own.worst, c};
    if (part.without != Covering::kNone) {
      if (part.all.losses[c][part.without] == kInfinity) --standing.missing;
      if (own.worst_at == part.without) standing.worst = own.second;
    }
    order.push_back(standing);
  }
  std::ranges::sort(order, [](const Standing& a, const Standing& b) { return (a <=> b) < 0; });
  return order;
}

Probes probes_of(const Study& study, const std::vector<Row>& rows, const TunedTable& table) {
  constexpr std::size_t kOfDomain = 64;
  std::vector<ProblemSize> tuned;
  for (const Row& row : rows) tuned.push_back(row.results->size);
  Probes probes = probes_for(table.devices, tuned);
  if (!study.domain) return probes;
  for (ProblemSize& size : distinct_sizes(*study.domain, kOfDomain, 1)) {
    probes.sizes.push_back(std::move(size));
  }
  return probes;
}

// The default first, then one that is valid for all probes, if the default is not.
std::vector<std::size_t> fallbacks(const Study& study, const MeasuredLosses& all,
                                   const std::vector<Standing>& order, const Probes& probes) {
  std::vector<std::size_t> chosen{order.front().configuration};
  // A bound on the time this takes, not on quality: candidates come best first.
  for (std::size_t i = 0; i < order.size() && i < 2000; ++i) {
    const std::size_t c = order[i].configuration;
    if (!holds_for_all(study, all.configurations[c], probes)) continue;
    if (c != chosen.front()) chosen.push_back(c);
    break;
  }
  return chosen;
}

// Everything that ever gave the right answer, best first; what was only ever dropped comes last.
std::vector<Configuration> candidates(const Study& study, const MeasuredLosses& all,
                                      const std::vector<Standing>& order,
                                      const std::vector<Row>& rows) {
  std::vector<Configuration> out;
  for (const Standing& one : order) out.push_back(all.configurations[one.configuration]);
  std::set<Configuration> known(out.begin(), out.end());
  std::vector<std::pair<double, const Configuration*>> dropped;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.results->ranked; ++i) {
      const Trial& trial = row.results->trials[i];
      if (trial.state != TrialState::kDropped || !known.insert(trial.configuration).second)
        continue;
      dropped.emplace_back(loss_of(study, *row.results, trial), &trial.configuration);
    }
  }
  std::ranges::stable_sort(dropped, {}, [](const auto& one) { return one.first; });
  for (const auto& [loss, configuration] : dropped) out.push_back(*configuration);
  return out;
}

// Whether the new winner is so much better that an earlier one gives way: told apart from it, or
// below the lower end of its interval.
bool gives_way(const Study& study, const Trial& old, const Trial& winner) {
  const Speedup gain = speedup_over(study.objective, old, winner, study.measure.confidence);
  const double median = gain.by_final ? old.final->median_ms.value() : old.timing.median;
  const double low = gain.by_final ? old.final->ci_low_ms.value() : old.timing.ci_low;
  const bool below = low > 0 && median > 0 && gain.ratio * low / median > 1;
  return below || gain.low > 1;
}

// The configuration that an earlier export had for this row, if it stays.
std::optional<std::size_t> incumbent(const Study& study, const MeasuredLosses& all, const Row& row,
                                     const TunedTable& earlier) {
  const RankedResults& now = *row.results;
  const std::size_t r = row.column;
  for (const TunedEntry& entry : earlier.entries) {
    const DeviceFacts& device = earlier.devices[entry.device];
    if (!is_one_model(device, now.device) || entry.size != now.size) continue;
    const auto known =
        std::ranges::find(all.configurations, earlier.configurations[entry.configuration]);
    const auto c = static_cast<std::size_t>(known - all.configurations.begin());
    if (known == all.configurations.end() || all.trials[c][r] == nullptr) return std::nullopt;
    const Trial& old = *all.trials[c][r];
    if (const auto speedup = speedup_of(now, old); speedup && speedup->high < 1)
      return std::nullopt;
    const bool close = all.losses[c][r] <= kMostKeptLoss;
    if (!close || gives_way(study, old, now.trials.front())) return std::nullopt;
    return c;
  }
  return std::nullopt;
}

// The configuration of each row.
std::vector<std::size_t> winners(const Study& study, const MeasuredLosses& all,
                                 const std::vector<Row>& rows, const TableOptions& options,
                                 std::vector<std::optional<Configuration>>& kept_before) {
  std::vector<std::size_t> first(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < all.trials.size(); ++c) {
      if (all.trials[c][rows[r].column] == &rows[r].results->trials.front()) first[r] = c;
    }
    if (options.earlier == nullptr) continue;
    const auto old = incumbent(study, all, rows[r], *options.earlier);
    if (!old || *old == first[r]) continue;
    kept_before[r] = all.configurations[first[r]];
    first[r] = *old;
  }
  return first;
}

// Whether the best few of each result are enough. With `within` they are not: a configuration that
// may lose something at each size is rarely among the best of any.
bool best_will_do(const TableOptions& options) { return options.in_sum && options.within == 0; }

// Finds each row's winner in a smaller set of configurations: the best among these.
std::vector<std::size_t> winners_of_cover(const Part& part, const std::vector<Row>& rows,
                                          const TableOptions& options) {
  const std::size_t limit = options.max_configurations;
  const auto able =
      best_will_do(options) ? joined_best(part.best_of_each, part.without) : part.configurations;
  const Covering covering{part.allowed, able, part.without};
  // A size that none serves counts as one that is served half as fast.
  const auto used = options.in_sum ? cover_or_best(covering, options.within, limit, 1)
                                   : small_cover(covering, options.within, limit);
  std::vector<std::size_t> first;
  for (const Row& row : rows) {
    first.push_back(std::ranges::min(used, {}, [&](std::size_t c) {
      // The winner itself before others that lose nothing.
      return std::pair(part.all.allowed[c][row.column],
                       part.all.trials[c][row.column] != &row.results->trials.front());
    }));
  }
  return first;
}

std::vector<double> weights_of(const Study& study, const ProblemSize& size) {
  std::vector<double> weights;
  for (const auto& [name, extent] : size.dims) {
    const auto at =
        std::ranges::find(study.exports.weights, name, [](const auto& one) { return one.first; });
    weights.push_back(at == study.exports.weights.end() ? 1 : at->second);
  }
  if (std::ranges::all_of(weights, [](double w) { return w == 1; })) weights.clear();
  return weights;
}

TunedTable table_from(const Study& study, const std::vector<Row>& rows, const Part& part,
                      const TableOptions& options, TunedTable table) {
  const MeasuredLosses& all = part.all;
  table.weights = weights_of(study, rows.front().results->size);
  for (const Row& row : rows) {
    if (table.unverified.empty()) table.unverified = row.results->unverified.value_or("");
  }
  const std::vector<Standing> order = standings(part);
  const Probes probes = options.spares ? probes_of(study, rows, table) : Probes{};
  const std::vector<std::size_t> spare =
      options.spares ? fallbacks(study, all, order, probes)
                     : std::vector<std::size_t>{order.front().configuration};
  std::vector<std::optional<Configuration>> kept_before(rows.size());
  const bool reduced = options.max_configurations > 0 || options.within > 0;
  const std::vector<std::size_t> used = reduced ? winners_of_cover(part, rows, options)
                                                : winners(study, all, rows, options, kept_before);
  std::map<std::size_t, std::size_t> place;
  const auto add = [&](std::size_t c) {
    if (place.emplace(c, table.configurations.size()).second) {
      table.configurations.push_back(all.configurations[c]);
    }
  };
  for (const std::size_t c : spare) add(c);
  const std::set<std::size_t> winning(used.begin(), used.end());
  for (const Standing& standing : order) {
    if (winning.contains(standing.configuration)) add(standing.configuration);
  }
  if (options.spares) {
    const auto more =
        more_fallbacks(study, probes, table.configurations, candidates(study, all, order, rows));
    table.configurations.insert(table.configurations.end(), more.begin(), more.end());
  }
  table.entries.reserve(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t best = used[r];
    const Trial* trial = all.trials[best][rows[r].column];
    if (trial == nullptr) continue;  // too few configurations allowed
    table.entries.push_back({rows[r].device, place.at(best), rows[r].results->size});
    if (!options.spares) continue;
    TunedEntry& entry = table.entries.back();
    entry.shown = shown(*trial);
    entry.slowdown = 1 + all.losses[best][rows[r].column];
    entry.date = rows[r].results->date;
    entry.speedup = speedup_of(*rows[r].results, *trial);
    entry.kept_before = std::move(kept_before[r]);
    entry.share = share_text(*trial);
  }
  for (const Row& row : rows) {
    const double loss = all.losses[spare.front()][row.column];
    if (loss == kInfinity) continue;
    ++table.default_coverage;
    table.default_slowdown = std::max(table.default_slowdown, 1 + loss);
  }
  return table;
}

}  // namespace

TableMaker::TableMaker(const Study& study, const std::vector<RankedResults>& results)
    : study_(study) {
  TunedTable table;
  for (const Row& row : rows_of(newest_ones(results), table)) results_.push_back(row.results);
  measured_ = measured(study, results_);
  for (std::size_t c = 0; c < measured_.configurations.size(); ++c) {
    in_all_.push_back(in_all(measured_.losses[c], measured_.trials[c]));
  }
  best_of_each_ = best_of_each(measured_);
  best_ = joined_best(best_of_each_, Covering::kNone);
  if (best_.empty()) return;
  allowed_ = LossRows(measured_.allowed);
  const Part all{measured_, allowed_, in_all_, best_of_each_, every_one(measured_)};
  const std::size_t usual = standings(all).front().configuration;
  const auto place = std::ranges::lower_bound(best_, usual);
  if (place == best_.end() || *place != usual) best_.insert(place, usual);
}

TunedTable TableMaker::table(const TableOptions& options,
                             std::optional<std::size_t> without) const {
  if (results_.size() < (without ? 2U : 1U)) {
    reject(study_.file.string(), "there is nothing to export: no result has a valid configuration");
  }
  const std::size_t left_out = without.value_or(Covering::kNone);
  std::vector<const RankedResults*> some = results_;
  if (without) some.erase(some.begin() + static_cast<std::ptrdiff_t>(left_out));
  TunedTable table;
  std::vector<Row> rows = rows_of(some, table);  // in their order: results_ are sorted by device
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].column = r < left_out ? r : r + 1;
  // Many tables are made without spares, each with a result left out.
  const bool few = best_will_do(options) && !options.spares;
  Part part{measured_, allowed_, in_all_, best_of_each_, few ? best_ : every_one(measured_),
            left_out};
  std::erase_if(part.configurations, [&](std::size_t c) {
    return without && in_all_[c].measured == 1 && measured_.trials[c][left_out] != nullptr;
  });
  return table_from(study_, rows, part, options, std::move(table));
}

TunedTable tuned_table(const Study& study, const std::vector<RankedResults>& results,
                       const TableOptions& options) {
  return TableMaker(study, results).table(options);
}

}  // namespace tuner
