#pragma once
// What the resolving functions share.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/resolve.h"

namespace tuner {

// Whether it has names without a value yet, which only the configuration will give them.
bool varies(const Expression& expression, const Bindings& names);
bool varies(const ArgumentSpec& argument, const Bindings& names);

// Failures are sentences that begin with `what`.
Expected<Value, std::string> value_of(const Expression& expression, const Bindings& names,
                                      const std::string& what);
// A whole number from `low` to `high`; `fallback` for an empty expression.
Expected<std::uint64_t, std::string> whole(const Expression& expression, const Bindings& names,
                                           const std::string& what, std::uint64_t fallback,
                                           std::uint64_t low, std::uint64_t high);

std::optional<std::uint32_t> position_of(const std::vector<ArgumentSpec>& arguments,
                                         const std::string& name);
// By name, or all of them when `wanted` is empty. Failures begin with `who`.
Expected<std::vector<std::uint32_t>, std::string> positions_of(
    const std::vector<ArgumentSpec>& arguments, const std::vector<std::string>& wanted,
    const std::string& who);

// Scalars and scratch buffers may differ between configurations.
bool may_vary(const ArgumentSpec& spec);
Expected<ArgumentPlan, std::string> argument_plan(const ArgumentSpec& spec,
                                                  const std::vector<ArgumentSpec>& arguments,
                                                  const Bindings& names);
// Placeholders where the configuration decides.
Expected<std::vector<ArgumentPlan>, std::string> argument_plans(
    const std::vector<ArgumentSpec>& specs, const Study& study, const Bindings& names);

}  // namespace tuner
