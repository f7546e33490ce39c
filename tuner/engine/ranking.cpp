// Orders trials, by the final where there was one, and marks ties.

#include "tuner/engine/ranking.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "tuner/engine/baseline.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/statistics.h"

namespace tuner {
namespace {

// The margin of a tie where there was no final round: half of that in one, because samples of the
// search were taken at different times.
constexpr double kTieBySamples = kTieMargin / 2;

// 0 = as good as the best, 0.1 = worse by a tenth of the best's value.
double shortfall(const ObjectiveSpec& objective, double value, double best) {
  if (value == best) return 0;
  const double gap = objective.maximize ? best - value : value - best;
  return best != 0 ? gap / std::abs(best) : std::numeric_limits<double>::infinity();
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

// What is sorted by, ascending. A valid trial whose metric has no value comes last of its state.
double figure(const ObjectiveSpec& objective, const Trial& trial, double value) {
  const bool has_value = is_valid(trial) && !std::isnan(value);
  return has_value ? to_minimise(objective, value) : std::numeric_limits<double>::infinity();
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
  const double left = figure(objective, a, a.objective);
  const double right = figure(objective, b, b.objective);
  return left != right ? left < right : smaller(a, b);
}

// Ratios to the fastest finalist, by configuration.
std::map<ConfigIndex, Ratio> ratios_of(const FinalRound& round, double confidence) {
  const auto middle = [](const std::vector<double>& ms) { return median(ms); };
  const auto faster = [&](const auto& a, const auto& b) {
    // Of equal medians always the same one, however the finalists are ordered.
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

double searched(const Trial& trial) { return trial.search_objective.value_or(trial.objective); }

// A baseline far behind the best took part in the final for the comparison only: ranked by the
// final, it would stand before faster ones that were not in it.
void ratios_without_guest(const ObjectiveSpec& objective, const std::vector<Trial>& trials,
                          const Configuration& baseline, std::map<ConfigIndex, Ratio>& ratios) {
  const Trial* guest = nullptr;
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::kOk || trial.outdated) continue;
    if (trial.configuration == baseline) guest = &trial;
    if (best == nullptr || better(objective, searched(trial), searched(*best))) best = &trial;
  }
  if (guest == nullptr) return;
  if (shortfall(objective, searched(*guest), searched(*best)) > kFinalistMargin) {
    ratios.erase(guest->index);
  }
}

// How a trial stands against the best.
struct Standing {
  bool is_close = false;  // so little behind that it may be promoted
  bool is_tied = false;   // cannot be told from it, or may be promoted
};

// Without a final round, from the trials' own samples.
Standing standing_by_samples(const ObjectiveSpec& objective, const Trial& best, const Trial& trial,
                             double simpler_within) {
  if (trial.state != TrialState::kOk) return {};
  Standing standing;
  const double behind = shortfall(objective, trial.objective, best.objective);
  standing.is_close = behind < simpler_within;
  standing.is_tied =
      standing.is_close || behind < kTieBySamples ||
      (trial.timing.ci_low <= best.timing.ci_high && best.timing.ci_low <= trial.timing.ci_high);
  return standing;
}

std::vector<bool> front_among(const ObjectiveSpec& objective, const std::vector<Trial>& trials,
                              std::size_t count) {
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(all_to_minimise(objective, trials[i]));
  return front_of(points);
}

}  // namespace

std::vector<std::size_t> choose_finalists(const ObjectiveSpec& objective,
                                          const std::vector<Trial>& trials, std::size_t count,
                                          const std::optional<Configuration>& baseline) {
  // By what the search measured: with the figures of an earlier final, which differ by noise, other
  // finalists could be chosen the next time.
  const auto value = [&](std::size_t i) {
    return trials[i].search_objective.value_or(trials[i].objective);
  };
  const auto before = [&](std::size_t a, std::size_t b) {
    const double left = figure(objective, trials[a], value(a));
    const double right = figure(objective, trials[b], value(b));
    return left != right ? left < right : smaller(trials[a], trials[b]);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].state == TrialState::kOk && !trials[i].outdated) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), before);
  const auto end = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return !(shortfall(objective, value(i), value(order.front())) <= kFinalistMargin);
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
    if (trial.final_samples.empty() || trial.outdated) continue;
    round.finalists.push_back(trial.index);
    round.milliseconds.push_back(trial.final_samples);
    if (trial.final_samples.size() != round.milliseconds.front().size()) return std::nullopt;
  }
  const auto is_of = [&](std::size_t count) {
    const auto chosen = choose_finalists(objective, trials, count, baseline);
    return !chosen.empty() && std::all_of(chosen.begin(), chosen.end(), [&](auto at) {
      return !trials[at].final_samples.empty();
    });
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
  if (baseline) ratios_without_guest(objective, trials, *baseline, ratios);
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
  std::vector<Standing> standings(out.ranked);
  for (std::size_t i = 0; i < out.ranked; ++i) {
    if (const Ratio* ratio = ratio_of(trials[i])) {
      standings[i] = {ratio->median < 1 + measure.simpler_within,
                      is_tie(*ratio, std::max(kTieMargin, measure.simpler_within))};
    } else if (ratios.empty()) {
      standings[i] =
          standing_by_samples(objective, trials.front(), trials[i], measure.simpler_within);
    }
  }
  // The simplest of those whose median is within the margin of the best wins. A tie is not enough:
  // a wide interval ties with much slower ones.
  std::size_t winner = 0;
  for (std::size_t i = 1; i < out.ranked; ++i) {
    if (standings[i].is_close && simpler(trials[i], trials[winner])) winner = i;
  }
  for (std::size_t i = 0; baseline && i < out.ranked; ++i) {
    const bool is_it = trials[i].state == TrialState::kOk && trials[i].configuration == *baseline;
    if (is_it && !is_worth_it(objective, trials[i], trials[winner], measure.confidence)) winner = i;
  }
  const auto to_front = [&](auto& list) {
    std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(winner),
                list.begin() + static_cast<std::ptrdiff_t>(winner) + 1);
  };
  if (out.ranked > 0) {
    to_front(trials);
    to_front(standings);
  }
  const auto tied = std::count_if(standings.begin(), standings.end(),
                                  [](const Standing& s) { return s.is_tied; });
  for (const Standing& standing : standings) out.tied.push_back(tied > 1 && standing.is_tied);
  if (!objective.beside.empty()) out.front = front_among(objective, trials, out.ranked);
  out.trials = std::move(trials);
  if (baseline) out.baseline = against_baseline(objective, *baseline, out, measure.confidence);
  return out;
}

double beside_best(const ObjectiveSpec& objective, double best, double own) {
  if (better(objective, best, own)) return own;
  const double worse = std::numeric_limits<double>::infinity() * (objective.maximize ? -1 : 1);
  return std::nextafter(best, worse);
}

}  // namespace tuner
