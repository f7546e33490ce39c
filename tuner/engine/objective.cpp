#include "tuner/engine/objective.h"

#include <algorithm>
#include <cmath>

#include "tuner/engine/resolve.h"

namespace tuner {
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

std::vector<std::pair<std::string, double>> metrics(const Study& study, const Bindings& names,
                                                    double median_ms, double watts) {
  Bindings known = names;
  known[kTime] = median_ms / 1000;
  if (watts > 0) {
    known.try_emplace(kPower, watts);
    known.try_emplace(kEnergy, watts * median_ms / 1000);
  }
  std::vector<std::pair<std::string, double>> out;
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

bool needs_power(const Study& study) {
  const auto own = [&](const std::string& name) {
    const auto is = [&](const auto& one) { return one.name == name; };
    return std::any_of(study.parameters.begin(), study.parameters.end(), is) ||
           std::any_of(study.derived.begin(), study.derived.end(), is);
  };
  return std::any_of(study.metrics.begin(), study.metrics.end(), [&](const auto& metric) {
    const auto& names = metric.expression.names();
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return (name == kPower || name == kEnergy) && !own(name);
    });
  });
}

bool better(const ObjectiveSpec& objective, double a, double b) {
  return objective.maximize ? a > b : a < b;
}

double to_minimise(const ObjectiveSpec& objective, double value) {
  return objective.maximize ? -value : value;
}

bool is_valid(const Trial& trial) {
  return trial.state == TrialState::kOk || trial.state == TrialState::kDropped;
}

bool faster_is_better(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  if (metric_named(study, study.objective.name) == nullptr) {
    return study.objective.name == kTime && !study.objective.maximize;
  }
  // With nothing but the facts bound, a metric that needs a parameter has no value. Two times
  // decide the direction: metrics that turn round between them are not worth more care.
  const Bindings facts = facts_of(size, device);
  const auto slow = value_in(metrics(study, facts, 2.0), study.objective.name);
  const auto fast = value_in(metrics(study, facts, 1.0), study.objective.name);
  return slow && fast && better(study.objective, *fast, *slow);
}

}  // namespace tuner
