#pragma once
// Values of a study's expressions, and its arguments with all of theirs evaluated.
// Failures are sentences that name the expression at fault.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/launch.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/resolve/argument_places.h"

namespace tuner {

// Whether it has names without a value yet, which only the configuration will give them.
bool varies(const Expression& expression, const Bindings& names);
bool varies(const ArgumentSpec& argument, const Bindings& names);

// Failures are sentences that begin with `what`.
Expected<Value, std::string> value_of(const Expression& expression, const Bindings& names,
                                      const std::string& what);

// Which numbers an expression may have, and what an empty one stands for.
struct WholeRange {
  std::uint64_t fallback = 1;
  std::uint64_t low = 1;
  std::uint64_t high = 1;
};
// A whole number. 4.0 counts as one, since "/" divides like Python's.
Expected<std::uint64_t, std::string> whole(const Expression& expression, const Bindings& names,
                                           const std::string& what, const WholeRange& range);

// The failure with what it happened to in front of it.
template <typename T>
Expected<T, std::string> in_context(const std::string& what, Expected<T, std::string> result) {
  if (!result) result.error() = what + ": " + result.error();
  return result;
}

// Values as C++ reads them, in definitions and in name expressions alike.
std::string cpp_text(const Value& value);

// The text with {NAME} replaced by the value of the name.
Expected<std::string, std::string> substitute(const std::string& text, const Bindings& names);

// Evaluates the rule of a plan's fill, as far as it can be before the elements are made. Says
// what is wrong, or nothing.
std::optional<std::string> plan_fill(const Bindings& names, FillSpec& fill);

// `arguments`: all of the study's, for maps of their buffers.
Expected<ArgumentPlan, std::string> argument_plan(const ArgumentSpec& spec,
                                                  const std::vector<ArgumentSpec>& arguments,
                                                  const Bindings& names);

// `extents`: of the target's shape, slowest first.
TextureView view_of(const TextureSpec& spec, const ArgumentSpec& target,
                    const std::vector<std::uint64_t>& extents);
// Describes what no device can do with such a view; nothing: there is no such fault.
std::optional<std::string> texture_fault(const TextureView& view);

// Makes a stand-in for an argument that a configuration does not have.
ArgumentPlan idle_argument(const ArgumentSpec& spec);

// Scalars, scratch and workspaces may differ between configurations.
bool may_vary(const ArgumentSpec& spec);

// Placeholders where the configuration decides.
Expected<std::vector<ArgumentPlan>, std::string> argument_plans(
    const std::vector<ArgumentSpec>& specs, const std::vector<ArgumentSpec>& arguments,
    const Bindings& names);

}  // namespace tuner
