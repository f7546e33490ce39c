// Orders trials, by the final where there was one, marks ties, and compares like with like.

#include "tuner/search/ranking.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "tuner/model/statistics.h"
#include "tuner/resolve/objective.h"

namespace tuner {

namespace {

bool took_part_together(const Trial& a, const Trial& b) {
  return a.final && b.final && !a.final->samples.empty() &&
         a.final->samples.size() == b.final->samples.size();
}

// Times that are one another's multiple: the ends of a quotient of two intervals.
Speedup by_search(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial) {
  Speedup out;
  out.ratio = cost_of(objective, baseline) / cost_of(objective, trial);
  const Timing& was = baseline.timing;
  const Timing& is = trial.timing;
  const bool known = was.ci_low > 0 && is.ci_low > 0 && was.median > 0 && is.median > 0;
  // Relative to the medians, so that it fits a metric of the time as well.
  out.low = known ? out.ratio * (was.ci_low / was.median) / (is.ci_high / is.median) : out.ratio;
  out.high = known ? out.ratio * (was.ci_high / was.median) / (is.ci_low / is.median) : out.ratio;
  return out;
}

}  // namespace

Speedup speedup_over(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                     double confidence) {
  if (baseline.configuration == trial.configuration) {
    return {1, 1, 1, trial.final.has_value()};
  }
  if (!took_part_together(baseline, trial)) return by_search(objective, baseline, trial);
  const Ratio ratio = paired_ratio(baseline.final->samples, trial.final->samples, confidence);
  return {ratio.median, ratio.interval.low, ratio.interval.high, true};
}

namespace {

// Whether a trial is better than the baseline beyond the interval: only then is it worth a change.
bool is_worth_it(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                 double confidence) {
  return speedup_over(objective, baseline, trial, confidence).low > 1;
}

// Compares the ranked results with the baseline.
BaselineResult against_baseline(const ObjectiveSpec& objective, const Configuration& baseline,
                                const RankedResults& results, double confidence) {
  BaselineResult out{baseline};
  const auto found = std::ranges::find(results.trials, baseline, &Trial::configuration);
  if (found == results.trials.end()) return out;
  out.at = static_cast<std::size_t>(found - results.trials.begin());
  if (*out.at >= results.ranked) return out;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    out.speedups.push_back(speedup_over(objective, *found, results.trials[i], confidence));
  }
  return out;
}

// 0 = as good as the best, 0.1 = worse by a tenth of the best's value.
double shortfall(const ObjectiveSpec& objective, SearchFigure figure, SearchFigure best) {
  if (figure == best) return 0;
  const double behind = figure.value() - best.value();
  const double gap = objective.maximize ? -behind : behind;
  return best.value() != 0 ? gap / std::abs(best.value()) : std::numeric_limits<double>::infinity();
}

// Numbers in numeric order, before text; booleans as numbers.
std::partial_ordering compare(const Value& a, const Value& b) {
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (left != nullptr && right != nullptr) return *left <=> *right;
  if (left != nullptr) return std::partial_ordering::greater;
  if (right != nullptr) return std::partial_ordering::less;
  return to_number(a) <=> to_number(b);
}

bool lexicographic_less(const Configuration& a, const Configuration& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::partial_ordering order = compare(a[i], b[i]);
    if (order != std::partial_ordering::equivalent) return std::is_lt(order);
  }
  return a.size() < b.size();
}

std::int64_t shared_bytes(const Trial& trial) {
  return std::max<std::int64_t>(0, trial.resources.static_shared_bytes) +
         static_cast<std::int64_t>(trial.geometry.dynamic_shared_bytes);
}

bool simpler(const Trial& a, const Trial& b) {
  if (a.resources.registers != b.resources.registers) {
    return a.resources.registers < b.resources.registers;
  }
  if (shared_bytes(a) != shared_bytes(b)) return shared_bytes(a) < shared_bytes(b);
  return lexicographic_less(a.configuration, b.configuration);
}

// Returns the number to sort by, ascending. A valid trial whose metric has no value comes last of
// its state.
SearchFigure figure(const ObjectiveSpec& objective, const Trial& trial) {
  const double value = trial.objective.value();
  const bool has_value = is_valid(trial) && !std::isnan(value);
  return SearchFigure(has_value ? to_minimise(objective, value)
                                : std::numeric_limits<double>::infinity());
}

// An order for trials that are equally good. Values are compared first, because the index of a
// trial from the store is only its place in the order of arrival.
bool smaller(const Trial& a, const Trial& b) {
  if (lexicographic_less(a.configuration, b.configuration)) return true;
  return !lexicographic_less(b.configuration, a.configuration) && a.index < b.index;
}

// Ok before dropped before outdated before failed; the latter by state.
bool ranks_before(const ObjectiveSpec& objective, const Trial& a, const Trial& b) {
  const auto group = [](const Trial& t) {
    if (is_valid(t) && t.outdated) return 2U;
    if (t.state == TrialState::kOk) return 0U;
    if (t.state == TrialState::kDropped) return 1U;
    return 3U + static_cast<unsigned>(t.state);
  };
  if (group(a) != group(b)) return group(a) < group(b);
  const SearchFigure left = figure(objective, a);
  const SearchFigure right = figure(objective, b);
  return left != right ? left < right : smaller(a, b);
}

// Ratios to the fastest finalist, by configuration.
std::map<ConfigIndex, Ratio> ratios_of(const FinalRound& round, double confidence) {
  const auto middle = [](const std::vector<double>& ms) { return median(ms); };
  const auto faster = [&](const auto& a, const auto& b) {
    // Breaks ties of medians, so that the order of the finalists does not matter.
    return middle(a) != middle(b) ? middle(a) < middle(b) : a < b;
  };
  const auto fastest =
      std::min_element(round.milliseconds.begin(), round.milliseconds.end(), faster);
  std::map<ConfigIndex, Ratio> ratios;
  for (std::size_t i = 0; i < round.finalists.size(); ++i) {
    ratios[round.finalists[i]] = paired_ratio(round.milliseconds[i], *fastest, confidence);
  }
  return ratios;
}

bool is_usable(const FinalRound& round) {
  return !round.finalists.empty() && round.finalists.size() == round.milliseconds.size() &&
         std::none_of(round.milliseconds.begin(), round.milliseconds.end(),
                      [](const auto& ms) { return ms.empty(); });
}

// A baseline far behind the best took part in the final for the comparison only: ranked by the
// final, it would stand before faster ones that were not in it.
void ratios_without_outsider(const ObjectiveSpec& objective, const std::vector<Trial>& trials,
                             const Configuration& baseline, std::map<ConfigIndex, Ratio>& ratios) {
  const Trial* outsider = nullptr;
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::kOk || trial.outdated) continue;
    if (trial.configuration == baseline) outsider = &trial;
    if (best == nullptr || better(objective, trial.objective, best->objective)) best = &trial;
  }
  if (outsider == nullptr) return;
  if (shortfall(objective, outsider->objective, best->objective) > kFinalistMargin) {
    ratios.erase(outsider->index);
  }
}

// Whether a trial cannot be told from the first: the interval of their ratio holds 1.
bool is_tie(const ObjectiveSpec& objective, const Trial& first, const Trial& trial,
            double confidence) {
  if (trial.state != TrialState::kOk) return false;
  const Speedup ratio = speedup_over(objective, first, trial, confidence);
  return ratio.low <= 1 && 1 <= ratio.high;
}

// The cost of a trial that counts; infinity of all others.
double counted_cost(const ObjectiveSpec& objective, const Trial& trial) {
  const double none = std::numeric_limits<double>::infinity();
  if (!is_valid(trial) || trial.outdated) return none;
  const double cost = cost_of(objective, trial).value();
  return std::isfinite(cost) ? cost : none;
}

double least_cost(const ObjectiveSpec& objective, std::span<const Trial> trials) {
  double least = std::numeric_limits<double>::infinity();
  for (const Trial& one : trials) least = std::min(least, counted_cost(objective, one));
  return least;
}

// Nothing without a cost, or where a ratio says nothing: of metrics that are not positive.
std::optional<double> loss_against(double best, double cost) {
  if (!std::isfinite(cost) || !(best > 0)) return std::nullopt;
  return cost / best - 1;
}

// Finds the worth of each source, the sources in the order in which their best ones came.
std::vector<AdviceWorth> worth_of_advice(const ObjectiveSpec& objective,
                                         const std::vector<Trial>& trials) {
  const double best = least_cost(objective, trials);
  std::vector<AdviceWorth> all;
  for (const Trial& trial : trials) {
    if (!trial.advised) continue;
    auto own = std::ranges::find(all, trial.advised->by, &AdviceWorth::by);
    if (own == all.end()) own = all.insert(own, AdviceWorth{.by = trial.advised->by});
    ++own->tried;
    const auto loss = loss_against(best, counted_cost(objective, trial));
    if (!loss || (own->loss && *own->loss <= *loss)) continue;
    own->loss = loss;
    own->after_s = trial.advised->after_s;
  }
  std::ranges::sort(all, [](const AdviceWorth& a, const AdviceWorth& b) {
    return std::tie(a.after_s, a.by) < std::tie(b.after_s, b.by);
  });
  return all;
}

std::vector<bool> front_among(const ObjectiveSpec& objective, const std::vector<Trial>& trials,
                              std::size_t count) {
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(all_to_minimise(objective, trials[i]));
  return front_of(points);
}

}  // namespace

std::optional<Configuration> baseline_of(const Study& study) {
  return study.baseline ? std::optional(study.baseline->configuration) : std::nullopt;
}

std::vector<std::size_t> choose_finalists(const ObjectiveSpec& objective,
                                          const std::vector<Trial>& trials, std::size_t count,
                                          const std::optional<Configuration>& baseline) {
  const auto before = [&](std::size_t a, std::size_t b) {
    const SearchFigure left = figure(objective, trials[a]);
    const SearchFigure right = figure(objective, trials[b]);
    return left != right ? left < right : smaller(trials[a], trials[b]);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].state == TrialState::kOk && !trials[i].outdated) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), before);
  const auto end = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return !(shortfall(objective, trials[i].objective, trials[order.front()].objective) <=
             kFinalistMargin);
  });
  order.erase(end, order.end());
  if (order.size() > count) order.resize(count);
  for (std::size_t i = 0; baseline && count > 0 && i < trials.size(); ++i) {
    const bool may = trials[i].state == TrialState::kOk && !trials[i].outdated;
    if (!may || trials[i].configuration != *baseline) continue;
    if (std::ranges::find(order, i) == order.end()) order.push_back(i);
  }
  if (order.size() < 2) order.clear();
  return order;
}

std::optional<FinalRound> standing_final(const ObjectiveSpec& objective,
                                         const std::vector<Trial>& trials,
                                         const std::optional<Configuration>& baseline) {
  FinalRound round;
  for (const Trial& trial : trials) {
    if (!trial.final || trial.outdated || !is_valid(trial)) continue;
    round.finalists.push_back(trial.index);
    round.milliseconds.push_back(trial.final->samples);
    if (trial.final->samples.size() != round.milliseconds.front().size()) return std::nullopt;
  }
  const auto is_of = [&](std::size_t count) {
    const auto chosen = choose_finalists(objective, trials, count, baseline);
    return !chosen.empty() && std::all_of(chosen.begin(), chosen.end(),
                                          [&](auto at) { return trials[at].final.has_value(); });
  };
  // The baseline may have come on top of those that were wanted.
  const std::size_t count = round.finalists.size();
  if (!is_of(count) && !(baseline && is_of(count - 1))) return std::nullopt;
  return round;
}

RankedResults rank(const ObjectiveSpec& objective, std::vector<Trial> trials,
                   const std::optional<FinalRound>& final_round, const MeasureSpec& measure,
                   const std::optional<Configuration>& baseline) {
  std::map<ConfigIndex, Ratio> ratios;
  if (final_round && is_usable(*final_round)) ratios = ratios_of(*final_round, measure.confidence);
  for (Trial& trial : trials) {
    if (!ratios.contains(trial.index)) trial.final.reset();
  }
  if (baseline) ratios_without_outsider(objective, trials, *baseline, ratios);
  const auto ratio_of = [&](const Trial& trial) -> const Ratio* {
    const bool may = trial.state == TrialState::kOk && !trial.outdated;
    const auto found = may ? ratios.find(trial.index) : ratios.end();
    return found == ratios.end() ? nullptr : &found->second;
  };
  std::sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
    const Ratio* left = ratio_of(a);
    const Ratio* right = ratio_of(b);
    if ((left != nullptr) != (right != nullptr)) return left != nullptr;
    if (left != nullptr && left->median != right->median) return left->median < right->median;
    return ranks_before(objective, a, b);
  });

  RankedResults out;
  out.ranked =
      static_cast<std::size_t>(std::count_if(trials.begin(), trials.end(), [](const Trial& trial) {
        return is_valid(trial) && !trial.outdated;
      }));
  // So little behind the fastest that it may be first.
  const auto is_close = [&](const Trial& trial) {
    if (const Ratio* ratio = ratio_of(trial)) return ratio->median < 1 + measure.simpler_within;
    return ratios.empty() && trial.state == TrialState::kOk &&
           shortfall(objective, trial.objective, trials.front().objective) < measure.simpler_within;
  };
  // The simplest of those whose median is within the margin of the best wins. A tie is not enough:
  // a wide interval ties with much slower ones.
  std::size_t winner = 0;
  for (std::size_t i = 1; i < out.ranked; ++i) {
    if (is_close(trials[i]) && simpler(trials[i], trials[winner])) winner = i;
  }
  for (std::size_t i = 0; baseline && i < out.ranked; ++i) {
    const bool is_it = trials[i].state == TrialState::kOk && trials[i].configuration == *baseline;
    if (is_it && !is_worth_it(objective, trials[i], trials[winner], measure.confidence)) winner = i;
  }
  const auto place = trials.begin() + static_cast<std::ptrdiff_t>(winner);
  if (out.ranked > 0) std::rotate(trials.begin(), place, place + 1);
  for (std::size_t i = 0; i < out.ranked; ++i) {
    const bool may = ratios.empty() || ratio_of(trials[i]) != nullptr;
    out.tied.push_back(may && is_tie(objective, trials.front(), trials[i], measure.confidence));
  }
  if (std::ranges::count(out.tied, true) == 1) out.tied.assign(out.ranked, false);
  if (!objective.beside.empty()) out.front = front_among(objective, trials, out.ranked);
  out.advice = worth_of_advice(objective, trials);
  out.trials = std::move(trials);
  if (baseline) out.baseline = against_baseline(objective, *baseline, out, measure.confidence);
  return out;
}

double beside_best(const ObjectiveSpec& objective, double best, double own) {
  if (better(objective, best, own)) return own;
  const double worse = std::numeric_limits<double>::infinity() * (objective.maximize ? -1 : 1);
  return std::nextafter(best, worse);
}

std::vector<std::optional<double>> losses_after(const ObjectiveSpec& objective,
                                                const std::vector<Trial>& in_order,
                                                const std::vector<std::size_t>& counts) {
  const double best = least_cost(objective, in_order);
  std::vector<std::optional<double>> out;
  for (const std::size_t count : counts) {
    const auto first = std::span(in_order).first(std::min(count, in_order.size()));
    out.push_back(loss_against(best, least_cost(objective, first)));
  }
  return out;
}

namespace {

double plain_loss(const Study& study, const Trial& best, const Trial& trial) {
  return speedup_over(study.objective, trial, best, study.measure.confidence).ratio - 1;
}

}  // namespace

double loss_of(const Study& study, const RankedResults& results, const Trial& trial) {
  const Trial& best = results.trials.front();
  if (&trial == &best) return 0;
  const double loss = plain_loss(study, best, trial);
  if (!std::isnan(loss) || !best.final) return std::max(0.0, loss);
  double most = 0;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const Trial& other = results.trials[i];
    const double least = plain_loss(study, other.final ? best : other, other.final ? other : trial);
    if (least > most) most = least;
  }
  return most;
}

}  // namespace tuner
