// Evaluates metrics and what compilers say, and orders trials by the study's objective.

#include "tuner/resolve/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tuner/model/limits.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/device_limit.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

// ---- what compilers say -------------------------------------------------------------------------

namespace {

bool is_compiled_name(const std::string& name) {
  return std::ranges::find(kCompiledNames, name) != kCompiledNames.end();
}

// "registers = 168, BLOCK = 256".
std::string values_of(const Expression& rule, const Bindings& known) {
  std::string text;
  for (const std::string& name : rule.names()) {
    const auto value = known.find(name);
    if (value == known.end()) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, to_text(value->second));
  }
  return text;
}

}  // namespace

Bindings with_compiled(const Bindings& names, const Trial& trial) {
  Bindings known = names;
  const auto add = [&](std::string_view name, std::int64_t value) {
    if (value >= 0) known.try_emplace(std::string(name), value);
  };
  add(kCompiledNames[0], trial.resources.registers);
  add(kCompiledNames[1], trial.resources.spill_bytes);
  if (trial.occupancy >= 0) known.try_emplace(std::string(kCompiledNames[2]), trial.occupancy);
  add(kCompiledNames[3], trial.resources.static_shared_bytes);
  add(kCompiledNames[4], static_cast<std::int64_t>(trial.geometry.dynamic_shared_bytes));
  add(kCompiledNames[5], trial.image_bytes);
  return known;
}

std::optional<std::string> broken_by_compiled(const Study& study, const Bindings& names,
                                              const Trial& trial) {
  if (study.compiled.empty()) return std::nullopt;
  const Bindings known = with_compiled(names, trial);
  for (const Expression& rule : study.compiled) {
    const bool is_open = std::ranges::any_of(rule.names(), [&](const std::string& name) {
      return is_compiled_name(name) && !known.contains(name);
    });
    if (is_open) continue;
    const auto value = rule.evaluate(known);
    if (value && truth(*value)) continue;
    const std::string values = values_of(rule, known);
    return fmt::format("'compiled' rules it out: {}{}{}{}", rule.text(),
                       values.empty() ? "" : " with ", values,
                       value ? std::string() : ": " + value.error().message);
  }
  return std::nullopt;
}

std::optional<std::string> broken_by_compiled(const Study& study, const Bindings& names,
                                              Trial trial, const DeviceFacts& device) {
  if (study.compiled.empty()) return std::nullopt;
  trial.occupancy = occupancy(device, trial.resources, trial.geometry);
  return broken_by_compiled(study, names, trial);
}

// ---- metrics and objective ----------------------------------------------------------------------

namespace {

constexpr const char* kTime = "time";      // seconds
constexpr const char* kPower = "power";    // watts
constexpr const char* kEnergy = "energy";  // joules of one launch

const NamedExpression* metric_named(const Study& study, const std::string& name) {
  for (const NamedExpression& metric : study.metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

std::optional<double> value_in(const std::vector<std::pair<std::string, double>>& all,
                               const std::string& name) {
  for (const auto& [metric, value] : all) {
    if (metric == name) return value;
  }
  return std::nullopt;
}

}  // namespace

Metrics metrics(const Study& study, const Bindings& names, double median_ms, double watts,
                const Metrics& observed) {
  Bindings known = names;
  for (const auto& [name, value] : observed) known[name] = value;
  known[kTime] = median_ms / 1000;
  if (watts > 0) {
    known.try_emplace(kPower, watts);
    known.try_emplace(kEnergy, watts * median_ms / 1000);
  }
  Metrics out;
  for (const NamedExpression& metric : study.metrics) {
    const auto value = metric.expression.evaluate(known);
    if (!value) continue;
    const double number = to_number(*value);
    if (!std::isfinite(number)) continue;
    out.emplace_back(metric.name, number);
    known[metric.name] = *value;
  }
  return out;
}

std::optional<double> objective_of(const Study& study, const Trial& trial) {
  if (!is_valid(trial)) return std::nullopt;
  if (metric_named(study, study.objective.name) != nullptr) {
    return value_in(trial.metrics, study.objective.name);
  }
  if (study.objective.name == kTime) return trial.timing.median / 1000;
  return std::nullopt;
}

namespace {

void set_objective(const std::string& name, std::optional<double> value, Trial& trial) {
  if (value) {
    trial.objective = SearchFigure(*value);
  } else {
    trial.state = TrialState::kRuntime;
    trial.message = "the objective '" + name + "' has no value";
  }
}

}  // namespace

namespace {

void suspect_if_too_fast(const Study& study, const Bindings& names, const Ceilings& ceilings,
                         const Timing& timing, const char* where, Trial& trial) {
  auto why = too_fast(study, names, ceilings, timing);
  if (!why) return;
  trial.state = TrialState::kSuspect;
  trial.message = where + std::move(*why);
}

}  // namespace

void score(const Study& study, const Bindings& names, Trial& trial, const Ceilings& ceilings) {
  if (!is_valid(trial)) return;
  // Some drivers report only after loading what a compiler did not.
  if (auto broken = broken_by_compiled(study, names, trial)) {
    trial.state = TrialState::kConstraints;
    trial.message = std::move(*broken);
    return;
  }
  trial.metrics =
      metrics(study, with_compiled(names, trial), trial.timing.median, trial.watts, trial.observed);
  set_objective(study.objective.name, objective_of(study, trial), trial);
  if (study.least_work && !ceilings.known()) return;
  trial.limit = device_limit(study, names, ceilings);
  if (is_valid(trial)) suspect_if_too_fast(study, names, ceilings, trial.timing, "", trial);
}

void score_recorded(const Study& study, const Bindings& names, Trial& trial) {
  if (!is_valid(trial)) return;
  const bool timed = is_time(trial.timing.median);
  auto known = timed ? metrics(study, with_compiled(names, trial), trial.timing.median)
                     : std::vector<std::pair<std::string, double>>{};
  for (auto& recorded : trial.metrics) {
    if (!value_in(known, recorded.first)) known.push_back(std::move(recorded));
  }
  trial.metrics = std::move(known);
  const bool by_time = metric_named(study, study.objective.name) == nullptr;
  set_objective(study.objective.name, by_time && !timed ? std::nullopt : objective_of(study, trial),
                trial);
}

void score_stored(const ObjectiveSpec& objective, Trial& trial) {
  if (!is_valid(trial)) return;
  auto value = value_in(trial.metrics, objective.name);
  if (!value && objective.name == kTime && is_time(trial.timing.median)) {
    value = trial.timing.median / 1000;
  }
  set_objective(objective.name, value, trial);
}

void score_final(const Study& study, const Bindings& names, const Ceilings& ceilings,
                 Trial& trial) {
  FinalResult& final = trial.final.value();
  const Timing timing = summarise(final.samples, study.measure.confidence);
  final.median_ms = FinalFigure(timing.median);
  final.ci_low_ms = FinalFigure(timing.ci_low);
  final.ci_high_ms = FinalFigure(timing.ci_high);
  final.metrics =
      metrics(study, with_compiled(names, trial), timing.median, trial.watts, trial.observed);
  const std::string& name = study.objective.name;
  const bool by_metric = metric_named(study, name) != nullptr;
  final.objective = FinalFigure(by_metric ? value_in(final.metrics, name).value_or(std::nan(""))
                                          : timing.median / 1000);
  if (is_valid(trial)) suspect_if_too_fast(study, names, ceilings, timing, "in the final: ", trial);
}

void rescore(const Study& study, const Bindings& names, Trial& trial, const Ceilings& ceilings) {
  if (trial.state == TrialState::kSuspect && (ceilings.known() || !study.least_work)) {
    trial.state = TrialState::kOk;
    trial.message.clear();
  }
  if (!is_valid(trial)) return;
  const SearchFigure before = trial.objective;
  score(study, names, trial, ceilings);
  if (trial.final) score_final(study, names, ceilings, trial);
  if (trial.objective != before) trial.final.reset();
}

bool better(const ObjectiveSpec& objective, double a, double b) {
  return objective.maximize ? a > b : a < b;
}

bool better(const ObjectiveSpec& objective, SearchFigure a, SearchFigure b) {
  return objective.maximize ? a > b : a < b;
}

double to_minimise(const ObjectiveSpec& objective, double value) {
  return objective.maximize ? -value : value;
}

SearchFigure cost_of(const ObjectiveSpec& objective, const Trial& trial) {
  if (objective.name == kTime) {
    const double ms = trial.timing.median;
    return SearchFigure(is_time(ms) ? ms : std::nan(""));
  }
  const double value = trial.objective.value();
  return SearchFigure(objective.maximize ? 1 / value : value);
}

std::vector<double> all_to_minimise(const ObjectiveSpec& objective, const Trial& trial) {
  std::vector<double> values{to_minimise(objective, trial.objective.value())};
  for (const ObjectiveSpec& other : objective.beside) {
    auto value = value_in(trial.metrics, other.name);
    if (!value && other.name == kTime) value = trial.timing.median / 1000;
    values.push_back(value ? to_minimise(other, *value) : std::numeric_limits<double>::infinity());
  }
  return values;
}

std::vector<bool> front_of(const std::vector<std::vector<double>>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  const auto dominates = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a != b && std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
  };
  // Only earlier points can dominate a point in this order; and if any does, one on the front does.
  std::vector<bool> on_front(points.size());
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    on_front[i] = std::none_of(front.begin(), front.end(), [&](std::size_t earlier) {
      return dominates(points[earlier], points[i]);
    });
    if (on_front[i]) front.push_back(i);
  }
  return on_front;
}

bool faster_is_better(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  if (metric_named(study, study.objective.name) == nullptr) {
    return study.objective.name == kTime && !study.objective.maximize;
  }
  // Try two times with nothing but the facts bound. A metric that needs a parameter has no value
  // then, and no direction. One that changes its direction between the two times is not foreseen.
  const Bindings facts = facts_of(size, device);
  const auto slow = value_in(metrics(study, facts, 2.0), study.objective.name);
  const auto fast = value_in(metrics(study, facts, 1.0), study.objective.name);
  return slow && fast && better(study.objective, *fast, *slow);
}

bool slow_may_be_best(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  return !study.objective.beside.empty() || !faster_is_better(study, size, device);
}

}  // namespace tuner
