// Sizes, launch and reference of a T1 file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/resolve/resolve.h"
#include "tuner/study/t1_sections.h"

namespace tuner {
namespace {

constexpr std::array<const char*, 3> kAxes{"X", "Y", "Z"};
constexpr std::array<const char*, 3> kDims{"problem_x", "problem_y", "problem_z"};
constexpr std::array<const char*, 3> kDivisors{"GridDivX", "GridDivY", "GridDivZ"};
constexpr std::array<const char*, 3> kBlocks{"block_size_x", "block_size_y", "block_size_z"};

void read_extent(T1Reader& t1, const YamlNode& node, std::size_t axis, ProblemSize& size) {
  if (axis >= kAxes.size()) {
    node.error("'ProblemSize' has at most three extents");
    return;
  }
  if (!node.plain) {  // an expression: another size for each configuration
    const Expression e = t1.names.read(node, "'ProblemSize'", kParameterName, "'ProblemSize'");
    t1.problem[axis] = e.empty() ? "1" : "(" + e.text() + ")";
    return;
  }
  const auto extent = tuner::read_extent(node, "'ProblemSize'");
  if (!extent) return;
  if (*extent <= 0) {
    node.error("'ProblemSize' must be at least 1");
    return;
  }
  YamlNode name = node;
  name.text = kDims[axis];
  t1.names.declare(name, kSizeName);
  size.dims.emplace_back(name.text, *extent);
  t1.problem[axis] = name.text;
}

// "a * b" of a list of expressions; "1" for an empty one.
std::string product(T1Reader& t1, const YamlNode& list, const char* what) {
  std::string text;
  for (const YamlRef& item : list.items) {
    const Expression factor = t1.names.read(*item, what, kParameterName, what);
    if (factor.empty()) return "1";
    const bool name = factor.names().size() == 1 && factor.names().front() == factor.text();
    text += (text.empty() ? "" : " * ") + (name ? factor.text() : "(" + factor.text() + ")");
  }
  return text.empty() ? "1" : text;
}

// Kernel Tuner's rule: each extent of the problem, divided by the product of its divisors, or by
// the block's extent where there are none.
std::string divisor_of(T1Reader& t1, const YamlNode& kernel, std::size_t axis) {
  const YamlNode* list = t1_find(kernel, kDivisors[axis]);
  if (list != nullptr && !list->is_sequence()) {
    const Expression one = t1.names.read(*list, kDivisors[axis], kParameterName, kDivisors[axis]);
    return one.empty() ? "1" : one.text();
  }
  if (list != nullptr && !list->items.empty()) return product(t1, *list, kDivisors[axis]);
  return t1.names.knows(kBlocks[axis], kParameterName) ? kBlocks[axis] : "1";
}

// One axis of LocalSize or GlobalSize; empty = not given.
Expression axis_of(T1Reader& t1, const YamlNode* map, std::size_t axis, const char* what) {
  const YamlNode* node = map == nullptr ? nullptr : t1_find(*map, kAxes[axis]);
  if (node == nullptr) return {};
  return t1.names.read(*node, what, kParameterName | kSizeName, what);
}

const YamlNode* size_map(const YamlNode& kernel, const char* key) {
  const YamlNode* map = t1_find(kernel, key);
  if (map == nullptr || !expect_map(*map, "'" + std::string(key) + "'")) {
    return nullptr;
  }
  return map;
}

Expression composed(const std::string& text, const YamlNode& where) {
  auto parsed = Expression::parse(text, where.where());
  if (parsed) return *parsed;
  where.error(parsed.error().message);
  return {};
}

// GlobalSize counts blocks in CUDA's way and threads in OpenCL's.
bool counts_threads(const YamlNode& kernel) {
  const YamlNode* type = t1_find(kernel, "GlobalSizeType");
  if (type == nullptr || type->text == "CUDA" || type->text == "Vulkan") return false;
  if (type->text != "OpenCL") {
    type->error("unknown size type '" + type->text + "'",
                suggestion_for(type->text, {"CUDA", "OpenCL", "Vulkan"}));
  }
  return true;
}

bool has_divisors(const YamlNode& kernel) {
  return std::any_of(kDivisors.begin(), kDivisors.end(),
                     [&](const char* key) { return t1_find(kernel, key) != nullptr; });
}

void read_grid(T1Reader& t1, const YamlNode& kernel) {
  LaunchSpec& launch = t1.study.launch;
  const YamlNode* global = size_map(kernel, "GlobalSize");
  const bool by_problem = !t1.problem[0].empty() && (has_divisors(kernel) || global == nullptr);
  if (!by_problem && global == nullptr) {
    kernel.error("the grid is not given", "'GlobalSize', or 'ProblemSize' with 'GridDivX'");
    return;
  }
  const bool threads = counts_threads(kernel);
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    if (by_problem) {
      if (t1.problem[axis].empty()) continue;
      t1.divisors[axis] = divisor_of(t1, kernel, axis);
      launch.grid[axis] =
          composed(fmt::format("ceil_div({}, {})", t1.problem[axis], t1.divisors[axis]), kernel);
      continue;
    }
    launch.grid[axis] = axis_of(t1, global, axis, "'GlobalSize'");
    if (threads && !launch.grid[axis].empty() && !launch.block[axis].empty()) {
      launch.grid[axis] = composed(
          fmt::format("ceil_div({}, {})", launch.grid[axis].text(), launch.block[axis].text()),
          *global);
    }
  }
}

void read_block(T1Reader& t1, const YamlNode& kernel) {
  const YamlNode* local = size_map(kernel, "LocalSize");
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    Expression& extent = t1.study.launch.block[axis];
    extent = axis_of(t1, local, axis, "'LocalSize'");
    if (local == nullptr && t1.names.knows(kBlocks[axis], kParameterName)) {
      extent = composed(kBlocks[axis], kernel);
    }
    // Sources written for Kernel Tuner use these names even where nothing is tuned about them.
    const bool fixed = !extent.empty() && extent.names().empty();
    if (fixed && !t1.names.knows(kBlocks[axis], kParameterName)) {
      t1.study.kernel.options.push_back(fmt::format("-D{}={}", kBlocks[axis], extent.text()));
    }
  }
}

// ---- the reference ------------------------------------------------------------------------------

Bindings bindings_of(const Study& study, const Configuration& values) {
  Bindings names;
  for (std::size_t i = 0; i < values.size(); ++i) names[study.parameters[i].name] = values[i];
  return names;
}

// Threads in a block; NaN where that cannot be said.
double threads_of(const Study& study, const Configuration& values) {
  const Bindings names = bindings_of(study, values);
  double threads = 1;
  for (const Expression& extent : study.launch.block) {
    if (extent.empty()) continue;
    const auto value = extent.evaluate(names);
    threads *= value ? to_number(*value) : std::nan("");
  }
  return threads;
}

// A kernel with many registers does not run with the largest blocks.
bool has_moderate_block(const Study& study, const Configuration& values) {
  constexpr double kModerate = 256;
  return threads_of(study, values) <= kModerate;
}

std::optional<Configuration> first_with_moderate_block(const Study& study,
                                                       const SearchSpace& space) {
  constexpr ConfigIndex kLookedAt = 4096;
  for (ConfigIndex i = 0; i < std::min<ConfigIndex>(space.size(), kLookedAt); ++i) {
    Configuration values = space.configuration(i);
    if (has_moderate_block(study, values)) return values;
  }
  return std::nullopt;
}

// All variants are compared with it, so it should run on every device: the default, or the first
// with a moderate block where the default is not valid or has a larger one. Empty when there is
// none, or none is found soon.
std::optional<Configuration> reference_configuration(T1Reader& t1, const YamlNode& kernel) {
  const Study& study = t1.study;
  const bool is_valid = constraints_hold(study, bindings_of(study, t1.defaults));
  if (is_valid && has_moderate_block(study, t1.defaults)) return t1.defaults;
  // Reading a file must not take for ever. Published spaces need a few hundred.
  constexpr int kMostPolls = 3'000;
  int polls = 0;
  BuildOptions limits;
  limits.memory_limit = std::size_t{256} << 20;
  limits.cancelled = [&] { return ++polls > kMostPolls; };
  try {
    const auto space = SearchSpace::build({study.parameters, {}, study.constraints, {}}, limits);
    if (space.size() == 0) return std::nullopt;  // said elsewhere
    if (auto moderate = first_with_moderate_block(study, space)) return moderate;
    return is_valid ? t1.defaults : space.configuration(0);
  } catch (const FatalError&) {
  } catch (const InputError&) {
  }
  if (is_valid) return t1.defaults;
  t1.study.runnable = false;
  t1.obstacle =
      "the default configuration is not valid, and no other one was found to compare with";
  kernel.warning(*t1.obstacle + ": the file can only be checked");
  return std::nullopt;
}

// The expression with the configuration's values written in. One that has no value there becomes
// 0, which no launch accepts.
std::string fixed_text(const std::string& text, const Bindings& values) {
  const auto parsed = Expression::parse(text);
  if (!parsed) return "0";
  const auto value = parsed->evaluate(values);
  return value ? to_text(*value) : "0";
}

Expression fixed(const Expression& e, const Bindings& values) {
  if (e.empty()) return e;
  auto parsed = Expression::parse(fixed_text(e.text(), values), e.origin());
  return parsed ? *parsed : Expression();
}

Expression fixed_grid(const T1Reader& t1, std::size_t axis, const Bindings& values) {
  const Expression& grid = t1.study.launch.grid[axis];
  if (t1.divisors[axis].empty()) return fixed(grid, values);
  const bool is_dimension = t1.problem[axis] == kDims[axis];
  const std::string extent = is_dimension ? t1.problem[axis] : fixed_text(t1.problem[axis], values);
  auto parsed = Expression::parse(
      fmt::format("ceil_div({}, {})", extent, fixed_text(t1.divisors[axis], values)),
      grid.origin());
  return parsed ? *parsed : Expression();
}

std::string text_of(const Study& study, const Configuration& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (study.parameters[i].values.size() == 1) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", study.parameters[i].name,
                        to_text(values[i]));
  }
  return text.empty() ? "the only one" : text;
}

}  // namespace

void t1_read_problem_size(T1Reader& t1, const YamlNode& kernel) {
  const YamlNode* node = t1_find(kernel, "ProblemSize");
  if (node == nullptr) return;
  ProblemSize size;
  if (node->is_sequence()) {
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      read_extent(t1, *node->items[i], i, size);
    }
  } else {
    read_extent(t1, *node, 0, size);
  }
  t1.study.sizes = {size};
}

void t1_read_launch(T1Reader& t1, const YamlNode& kernel) {
  read_block(t1, kernel);
  read_grid(t1, kernel);
  if (const YamlNode* bytes = t1_find(kernel, "SharedMemory")) {
    t1.study.launch.dynamic_shared_bytes =
        t1.names.read(*bytes, "'SharedMemory'", kParameterName | kSizeName, "'SharedMemory'");
  }
}

void t1_add_reference(T1Reader& t1, const YamlNode& kernel) {
  Study& study = t1.study;
  if (outputs_of(study).empty()) {
    kernel.warning(
        "no argument is an output: results are NOT verified, wrong answers "
        "would be ranked",
        "\"Output\": 1, or an \"AccessType\" that writes");
    return;
  }
  const auto chosen = reference_configuration(t1, kernel);
  if (!chosen) return;
  ReferenceSpec reference;
  reference.entry = study.kernel.entry;
  reference.where = kernel.where();
  const Bindings values = bindings_of(study, *chosen);
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    reference.launch.block[axis] = fixed(study.launch.block[axis], values);
    reference.launch.grid[axis] = fixed_grid(t1, axis, values);
  }
  reference.launch.dynamic_shared_bytes = fixed(study.launch.dynamic_shared_bytes, values);
  for (std::size_t i = 0; i < chosen->size(); ++i) {
    reference.configuration.emplace_back(study.parameters[i].name, (*chosen)[i]);
  }
  study.reference = std::move(reference);
  for (const ArgumentSpec& argument : study.arguments) {
    if (!is_output(argument.role)) continue;
    // NaN is right where the configuration that all are compared with has it: such files are run by
    // others, who look at no answer, and a single point of theirs may be NaN.
    Tolerance tolerance;
    tolerance.is_usual = true;
    tolerance.how.equal_nan = is_floating(argument.type);
    study.verify.emplace_back(argument.name, std::move(tolerance));
  }
  kernel.warning(
      "the file holds no right answer: every variant is compared with one "
      "configuration (" +
      text_of(study, *chosen) + ")");
  if (t1.extents.empty()) return;
  std::string names;
  std::string options;
  for (const std::string& name : t1.extents) {
    names += (names.empty() ? "" : ", ") + name;
    options += " --per " + name;
  }
  kernel.warning(
      fmt::format("buffers have the size for the largest {}: where the right answer depends on "
                  "it, variants with other values are 'correctness' without{}",
                  names, options));
}

}  // namespace tuner
