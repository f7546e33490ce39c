// Pairs results and works out ratios.

#include "tuner/commands/comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tuner {
namespace {

const RankedResults& ranked(const ResultSet& set) { return set.results.ranked; }

std::string place_of(const ResultSet& set) {
  return set.results.kernel + " on " + ranked(set).device.name + ", " + ranked(set).size.label();
}

bool same_place(const ResultSet& a, const ResultSet& b) {
  return a.results.kernel == b.results.kernel && ranked(a).size == ranked(b).size;
}

bool same_device(const ResultSet& a, const ResultSet& b) {
  return ranked(a).device.name == ranked(b).device.name;
}

BestOf best_of(const ResultSet& set) {
  BestOf best{ranked(set).device.name, std::nullopt, set.results.parameters, {}};
  if (ranked(set).ranked > 0) best.configuration = ranked(set).trials.front().configuration;
  return best;
}

// "NAME: value -> value"; what only one side has is "(none)" on the other.
std::vector<std::string> changes(const BestOf& a, const BestOf& b) {
  const auto text = [](const BestOf& side, const std::string& name) {
    const auto at = std::ranges::find(side.parameters, name);
    if (at == side.parameters.end()) return std::string("(none)");
    return to_text(side.configuration[static_cast<std::size_t>(at - side.parameters.begin())]);
  };
  std::vector<std::string> names = a.parameters;
  for (const std::string& name : b.parameters) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string before = text(a, name);
    const std::string after = text(b, name);
    if (before != after) out.push_back(name + ": " + before + " -> " + after);
  }
  return out;
}

// A CSV file says nothing but the device.
std::vector<std::string> context_changes(const ResultSet& a, const ResultSet& b) {
  if (a.has_store && b.has_store) return differences(a.results.of.key, b.results.of.key);
  ContextKey before;
  ContextKey after;
  before.device = ranked(a).device;
  after.device = ranked(b).device;
  return differences(before, after);
}

void take_figures(const ResultSet& a, const ResultSet& b, BestPair& out) {
  const ObjectiveSpec& objective = out.objective;
  const Trial& first = ranked(a).trials.front();
  const Trial& second = ranked(b).trials.front();
  const Figures figures_a = figures_of(first, objective);
  const Figures figures_b = figures_of(second, objective);
  const bool known = a.told_apart && b.told_apart;
  if (known && figures_a.final_round && figures_b.final_round) {
    out.basis = Basis::kFinal;
    out.a.figure = figures_a.final_round;
    out.b.figure = figures_b.final_round;
  } else if (known && figures_a.search && figures_b.search) {
    out.basis = Basis::kSearch;
    out.a.figure = figures_a.search;
    out.b.figure = figures_b.search;
  } else {
    out.basis = known ? Basis::kUnlike : Basis::kFileOnly;
    out.a.figure = ranking_figure(first, objective);
    out.b.figure = ranking_figure(second, objective);
  }
}

BestPair compared(const ResultSet& a, const ResultSet& b) {
  BestPair out;
  out.kernel = a.results.kernel;
  out.size = ranked(a).size;
  out.objective = a.results.objective;
  out.a = best_of(a);
  out.b = best_of(b);
  out.context = context_changes(a, b);
  const bool same_aim = a.results.objective.name == b.results.objective.name &&
                        a.results.objective.maximize == b.results.objective.maximize;
  if (!same_aim) {
    out.context.push_back("objective: " + a.results.objective.name + " -> " +
                          b.results.objective.name);
  }
  if (ranked(a).ranked == 0 || ranked(b).ranked == 0) return out;
  out.configuration = changes(out.a, out.b);
  take_figures(a, b, out);
  const bool positive =
      out.a.figure && out.b.figure && out.a.figure->value > 0 && out.b.figure->value > 0;
  if (positive && same_aim && out.basis != Basis::kUnlike) {
    out.b_over_a = speed_up(*out.a.figure, *out.b.figure, out.objective.maximize);
  }
  return out;
}

}  // namespace

SpeedUp speed_up(const MeasuredFigure& a, const MeasuredFigure& b, bool maximize) {
  const double middle = std::log(a.value / b.value);
  const auto far = [](double part, double value) {
    return part > 0 ? std::abs(std::log(part / value)) : 0.0;
  };
  // The ratio is low when a is low and b is high.
  const double down = std::hypot(far(a.low, a.value), far(b.high, b.value));
  const double up = std::hypot(far(a.high, a.value), far(b.low, b.value));
  SpeedUp out{std::exp(middle), std::exp(middle - down), std::exp(middle + up)};
  if (!maximize) return out;
  return {1 / out.ratio, 1 / out.high, 1 / out.low};
}

bool is_worse_by(const BestPair& pair, double share) {
  return pair.b_over_a && 1 / pair.b_over_a->high - 1 > share;
}

Compared compare(const std::vector<ResultSet>& a, const std::vector<ResultSet>& b) {
  Compared out;
  std::vector<bool> used(b.size());
  for (const ResultSet& one : a) {
    const bool shared = std::ranges::any_of(b, [&](const ResultSet& other) {
      return same_place(one, other) && same_device(one, other);
    });
    bool found = false;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!same_place(one, b[i]) || (shared && !same_device(one, b[i]))) continue;
      // Another device of b that a has, too, is compared with itself.
      const bool taken = !shared && std::ranges::any_of(a, [&](const ResultSet& other) {
        return same_place(other, b[i]) && same_device(other, b[i]);
      });
      if (taken) continue;
      out.common.push_back(compared(one, b[i]));
      used[i] = found = true;
    }
    if (!found) out.only_a.push_back(place_of(one));
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!used[i]) out.only_b.push_back(place_of(b[i]));
  }
  return out;
}

}  // namespace tuner
