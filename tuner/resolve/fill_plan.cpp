// Evaluates rules of fills.

#include "tuner/resolve/fill_plan.h"

#include <cmath>

namespace tuner {

std::optional<std::string> plan_fill(const Bindings& names, FillSpec& fill) {
  const Expression rule = fill.rule;
  fill.rule = {};
  if (rule.empty()) return std::nullopt;
  if (fill.kind == FillSpec::Kind::kFormula) {
    fill.formula = rule.text();
    for (const std::string& name : rule.names()) {
      const auto found = names.find(name);
      if (name == "i" || found == names.end()) continue;
      if (const auto* extent = std::get_if<std::int64_t>(&found->second)) {
        fill.names.emplace_back(name, *extent);
      }
    }
    return std::nullopt;
  }
  const auto value = rule.evaluate(names);
  if (!value) return value.error().message;
  fill.b = to_number(*value);
  if (!(std::fabs(fill.b) <= 0x1p53) || fill.b != std::floor(fill.b)) {
    return to_text(*value) + " is no whole number of elements";
  }
  return std::nullopt;
}

}  // namespace tuner
