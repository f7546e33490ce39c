// Binds what is known of a compiled variant, and compares it with the study's conditions.

#include "tuner/resolve/compiled_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/limits.h"

namespace tuner {
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

}  // namespace tuner
