// Plans for the run worker: of a size and of a variant.

#include "tuner/resolve/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/resolve/captured_plans.h"
#include "tuner/resolve/objective.h"

namespace tuner {

// ---- what is left to plugins --------------------------------------------------------------------

namespace {

PluginPlan plugin_plan(const std::string& name, const OptionList& options) {
  PluginPlan plan{name, {}};
  for (const OptionValue& one : options) plan.options.emplace_back(one.name, one.value);
  return plan;
}

// Metrics of one observer with the same options come from one object.
std::vector<ObserverPlan> observer_plans(const Study& study) {
  std::vector<ObserverPlan> plans;
  for (const ObserverSpec& spec : study.observers) {
    PluginPlan plugin = plugin_plan(spec.name, spec.options);
    auto same = std::ranges::find_if(plans, [&](const ObserverPlan& one) {
      return one.plugin.name == plugin.name && one.plugin.options == plugin.options;
    });
    if (same == plans.end()) same = plans.insert(same, {std::move(plugin), {}});
    same->metrics.emplace_back(spec.metric, spec.value);
  }
  return plans;
}

}  // namespace

// ---- the plans of a size and of a variant -------------------------------------------------------

bool needs_power(const Study& study) {
  const auto own = [&](const std::string& name) {
    const auto is = [&](const auto& one) { return one.name == name; };
    return std::any_of(study.parameters.begin(), study.parameters.end(), is) ||
           std::any_of(study.derived.begin(), study.derived.end(), is);
  };
  return std::any_of(study.metrics.begin(), study.metrics.end(), [&](const auto& metric) {
    const auto& names = metric.expression.names();
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return (name == "power" || name == "energy") && !own(name);
    });
  });
}

Expected<SizePlan, std::string> size_plan(const Study& of_all_sizes, const ProblemSize& size,
                                          const DeviceFacts& device,
                                          const std::vector<ReferenceCase>& cases) {
  const Study study = TUNER_TRY(with_captured(of_all_sizes, size));
  const Bindings names = with_derived(study, facts_of(size, device));
  SizePlan plan;
  plan.measure = study.measure;
  plan.measure.power = needs_power(study);
  plan.deterministic = study.deterministic;
  if (study.problem) plan.problem = plugin_plan(study.problem->name, study.problem->options);
  plan.has_host_code = study.kernel.runs_on_host();
  plan.extents = size.dims;
  plan.observers = observer_plans(study);
  plan.limits = study.limits;
  if (slow_may_be_best(study, size, device)) plan.measure.drop_above = 0;
  plan.arguments = TUNER_TRY(argument_plans(study.arguments, study.arguments, names));
  plan.constants = TUNER_TRY(argument_plans(study.constants, study.arguments, names));
  if (!study.reference || cases.empty()) return plan;
  plan.reference = TUNER_TRY(reference_plan(study, names, cases));
  plan.checks = TUNER_TRY(check_plans(study, *plan.reference, names));
  if (study.memory_is_captured) place_memory(study, *captured_at(study, size), plan);
  return plan;
}

Expected<VariantPlan, std::string> variant_plan(const Study& study, const SearchSpace& space,
                                                const Configuration& configuration) {
  VariantPlan plan;
  plan.answer = answer_key(study, space, configuration);
  const Bindings names = space.bindings(configuration);
  static_cast<SequencePlan&>(plan) = TUNER_TRY(variant_sequence(study, names));
  std::uint32_t index = 0;
  for (const auto* specs : {&study.arguments, &study.constants}) {
    for (const ArgumentSpec& spec : *specs) {
      const std::uint32_t place = index++;
      if (!is_there(spec, names)) {
        plan.overrides.emplace_back(place, idle_argument(spec));
      } else if (may_vary(spec) && varies(spec, space.definition().facts)) {
        plan.overrides.emplace_back(place, TUNER_TRY(argument_plan(spec, study.arguments, names)));
      }
    }
  }
  return plan;
}

}  // namespace tuner
