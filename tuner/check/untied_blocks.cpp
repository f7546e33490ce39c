// Finds parameters that a block follows and the grid does not.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/source/declarations.h"
#include "tuner/source/parameters.h"

namespace tuner {
namespace {

// The parameters that an expression depends on, derived names seen through.
std::set<std::string> parameters_in(const Study& study, const Expression& expression) {
  std::set<std::string> out;
  if (expression.empty()) return out;
  for (const std::string& name : expression.names()) {
    const auto derived = std::ranges::find(study.derived, name, &NamedExpression::name);
    if (derived != study.derived.end()) {
      out.merge(parameters_in(study, derived->expression));
    } else if (std::ranges::find(study.parameters, name, &Parameter::name) !=
               study.parameters.end()) {
      out.insert(name);
    }
  }
  return out;
}

// Whether the kernel numbers its threads through all blocks along this axis, "blockIdx.x *
// blockDim.x", and does not ask how many blocks there are. One that works on a row for each block
// does neither.
bool has_an_element_a_thread(const Study& study, char axis) {
  std::string text;
  try {
    text = device_text(study, study.kernel.source);
  } catch (const FatalError&) {
    return false;  // whoever needs the file will say so
  }
  const std::string entry = study.kernel.entry.substr(0, study.kernel.entry.find('<'));
  const std::vector<Token> code = code_of(tokens_of(text));
  const std::string first = std::string("blockIdx . ") + axis,
                    second = std::string("blockDim . ") + axis;
  for (const Declaration& one : declarations_of(code)) {
    if (one.body.empty() || last_name(one.name) != last_name(entry)) continue;
    const std::string body = joined(one.body);
    const auto says = [&](const std::string& words) { return body.find(words) != body.npos; };
    return !says("gridDim") && (says(first + " * " + second) || says(second + " * " + first));
  }
  return false;
}

}  // namespace

std::vector<std::string> untied_blocks(const Study& study) {
  std::vector<std::string> out;
  const bool is_cuda =
      !study.kernel.runs_on_host() && !study.kernel.is_opencl() && study.kernel.text.empty();
  if (!is_cuda) return out;
  std::set<std::string> followed;
  for (const Expression& axis : study.launch.grid) followed.merge(parameters_in(study, axis));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Expression& grid = study.launch.grid[axis];
    if (grid.empty() || grid.text() == "1") continue;
    for (const std::string& name : parameters_in(study, study.launch.block[axis])) {
      const auto parameter = std::ranges::find(study.parameters, name, &Parameter::name);
      // A text, or a flag, only chooses among extents.
      if (parameter->values.size() < 2 || !parameter->ordered() || followed.contains(name))
        continue;
      if (!has_an_element_a_thread(study, "xyz"[axis])) continue;
      out.push_back(fmt::format(
          "the block follows {}, and the grid does not: with a smaller block fewer threads run, "
          "with a larger one more (\"ceil_div(N, {})\", if each thread has an element)",
          name, name));
    }
  }
  return out;
}

}  // namespace tuner
