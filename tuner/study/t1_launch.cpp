// Sizes, launch and reference of a T1 file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/text.h"
#include "tuner/resolve/resolve.h"
#include "tuner/study/t1_sections.h"

namespace tuner {
namespace {

constexpr std::array<const char*, 3> kAxes{"X", "Y", "Z"};
constexpr std::array<const char*, 3> kDims{"problem_x", "problem_y", "problem_z"};
constexpr std::array<const char*, 3> kDivisors{"GridDivX", "GridDivY", "GridDivZ"};
constexpr std::array<const char*, 3> kBlocks{"block_size_x", "block_size_y", "block_size_z"};

using Axes = std::array<std::string, 3>;  // expressions; empty = not given

void add_extent(T1Parts& t1, const YamlNode& node, std::size_t axis, MapNode& size) {
  if (axis >= kAxes.size()) {
    node.error("'ProblemSize' has at most three extents");
    return;
  }
  if (!node.plain) {  // an expression: another size for each configuration
    const Expression e = t1.names.read(node, "'ProblemSize'", kParameterName, "'ProblemSize'");
    t1.problem[axis] = e.empty() ? "1" : "(" + e.text() + ")";
    return;
  }
  t1.problem[axis] = "1";  // where it is wrong, no more is said of what follows from it
  const auto extent = read_extent(node, "'ProblemSize'");
  if (!extent) return;
  if (*extent <= 0) {
    node.error("'ProblemSize' must be at least 1");
    return;
  }
  t1.names.declare(*text_node(node, kDims[axis]), kSizeName);
  size.add(kDims[axis], word_node(node, std::to_string(*extent)));
  t1.problem[axis] = kDims[axis];
}

// "a * b" of a list of expressions; "1" for an empty one.
std::string product(T1Parts& t1, const YamlNode& list, const char* what) {
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
std::string divisor_of(T1Parts& t1, const YamlNode& kernel, std::size_t axis) {
  const YamlNode* list = t1_find(kernel, kDivisors[axis]);
  if (list != nullptr && !list->is_sequence()) {
    const Expression one = t1.names.read(*list, kDivisors[axis], kParameterName, kDivisors[axis]);
    return one.empty() ? "1" : one.text();
  }
  if (list != nullptr && !list->items.empty()) return product(t1, *list, kDivisors[axis]);
  return t1.names.knows(kBlocks[axis], kParameterName) ? kBlocks[axis] : "1";
}

// The axes of LocalSize or GlobalSize.
Axes axes_of(T1Parts& t1, const YamlNode* map, const char* what) {
  Axes axes;
  if (map != nullptr) t1_warn_of_misspelt(*map, {kAxes.begin(), kAxes.end()}, what);
  for (std::size_t axis = 0; map != nullptr && axis < kAxes.size(); ++axis) {
    const YamlNode* node = t1_find(*map, kAxes[axis]);
    if (node == nullptr) continue;
    axes[axis] = t1.names.read(*node, what, kParameterName | kSizeName, what).text();
  }
  return axes;
}

const YamlNode* size_map(const YamlNode& kernel, const char* key) {
  const YamlNode* map = t1_find(kernel, key);
  if (map == nullptr || !expect_map(*map, "'" + std::string(key) + "'")) return nullptr;
  return map;
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

// The grid by Kernel Tuner's rule, which ignores GlobalSize: it is often wrong in such files.
Axes grid_by_problem(T1Parts& t1, const YamlNode& kernel) {
  Axes grid;
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    if (t1.problem[axis].empty()) continue;
    grid[axis] = fmt::format("ceil_div({}, {})", t1.problem[axis], divisor_of(t1, kernel, axis));
  }
  return grid;
}

Axes grid_of(T1Parts& t1, const YamlNode& kernel) {
  const YamlNode* global = size_map(kernel, "GlobalSize");
  const bool by_problem = !t1.problem[0].empty() && (has_divisors(kernel) || global == nullptr);
  if (!by_problem && global == nullptr) {
    kernel.error("the grid is not given", "'GlobalSize', or 'ProblemSize' with 'GridDivX'");
  }
  const bool threads = counts_threads(kernel);
  if (by_problem) return grid_by_problem(t1, kernel);
  Axes grid = axes_of(t1, global, "'GlobalSize'");
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    if (!threads || grid[axis].empty() || t1.block[axis].empty()) continue;
    grid[axis] = fmt::format("ceil_div({}, {})", grid[axis], t1.block[axis]);
  }
  return grid;
}

Axes block_of(T1Parts& t1, const YamlNode& kernel) {
  const YamlNode* local = size_map(kernel, "LocalSize");
  Axes block = axes_of(t1, local, "'LocalSize'");
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const bool is_tuned = t1.names.knows(kBlocks[axis], kParameterName);
    if (local == nullptr && is_tuned) block[axis] = kBlocks[axis];
    // Sources written for Kernel Tuner use these names even where nothing is tuned about them.
    const auto extent = Expression::parse(block[axis]);
    if (!is_tuned && extent && extent->names().empty()) {
      t1.options.push_back(text_node(kernel, fmt::format("-D{}={}", kBlocks[axis], block[axis])));
    }
  }
  return block;
}

YamlRef axes_node(const YamlNode& at, const Axes& axes) {
  std::size_t count = axes.size();
  while (count > 1 && axes[count - 1].empty()) --count;
  std::vector<YamlRef> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(text_node(at, axes[i].empty() ? "1" : axes[i]));
  }
  return list_node(at, std::move(nodes));
}

// ---- the reference ------------------------------------------------------------------------------

Bindings bindings_of(const T1Parts& t1, const Configuration& values) {
  Bindings names;
  for (std::size_t i = 0; i < values.size(); ++i) names[t1.parameters[i].name] = values[i];
  return names;
}

// A kernel with many registers does not run with the largest blocks.
bool has_moderate_block(const T1Parts& t1, const Configuration& values) {
  constexpr double kModerate = 256;
  const Bindings names = bindings_of(t1, values);
  double threads = 1;
  for (const std::string& text : t1.block) {
    const auto extent = Expression::parse(text);
    if (!extent) continue;
    const auto value = extent->evaluate(names);
    threads *= value ? to_number(*value) : std::nan("");
  }
  return threads <= kModerate;
}

std::optional<Configuration> first_with_moderate_block(const T1Parts& t1,
                                                       const SearchSpace& space) {
  constexpr ConfigIndex kLookedAt = 4096;
  for (ConfigIndex i = 0; i < std::min<ConfigIndex>(space.size(), kLookedAt); ++i) {
    Configuration values = space.configuration(i);
    if (has_moderate_block(t1, values)) return values;
  }
  return std::nullopt;
}

// All variants are compared with it, so it should run on every device: the default, or the first
// with a moderate block where the default is not valid or has a larger one. Empty when there is
// none, or none is found soon.
std::optional<Configuration> reference_configuration(T1Parts& t1, const YamlNode& kernel) {
  Study study;
  study.parameters = t1.parameters;
  study.constraints = t1.conditions;
  const bool is_valid = constraints_hold(study, bindings_of(t1, t1.defaults));
  if (is_valid && has_moderate_block(t1, t1.defaults)) return t1.defaults;
  // Reading a file must not take for ever. Published spaces need a few hundred.
  constexpr int kMostPolls = 3'000;
  int polls = 0;
  BuildOptions limits;
  limits.memory_limit = std::size_t{256} << 20;
  limits.cancelled = [&] { return ++polls > kMostPolls; };
  try {
    const auto space = SearchSpace::build({t1.parameters, {}, t1.conditions, {}}, limits);
    if (space.size() == 0) return std::nullopt;  // said elsewhere
    if (auto moderate = first_with_moderate_block(t1, space)) return moderate;
    return is_valid ? t1.defaults : space.configuration(0);
  } catch (const FatalError&) {
  } catch (const InputError&) {
  }
  if (is_valid) return t1.defaults;
  t1.obstacle =
      "the default configuration is not valid, and no other one was found to compare with";
  kernel.warning(*t1.obstacle + ": the file can only be checked");
  return std::nullopt;
}

std::string text_of(const T1Parts& t1, const Configuration& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (t1.parameters[i].values.size() == 1) continue;
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", t1.parameters[i].name, to_text(values[i]));
  }
  return text.empty() ? "the only one" : text;
}

// NaN is right where the configuration that all are compared with has it: such files are run by
// others, who look at no answer, and a single point of theirs may be NaN.
MapNode tolerances(const T1Parts& t1, const YamlNode& kernel) {
  MapNode all(kernel);
  for (const auto& [name, type] : t1.outputs) {
    MapNode one(kernel);
    one.add("tolerance", word_node(kernel, "usual"));
    if (is_floating(type)) one.add("equal_nan", word_node(kernel, "true"));
    all.add(name, one);
  }
  return all;
}

void warn_of_reference(const T1Parts& t1, const YamlNode& kernel, const Configuration& chosen) {
  kernel.warning(
      "the file holds no right answer: every variant is compared with one "
      "configuration (" +
      text_of(t1, chosen) + ")");
  if (t1.extents.empty()) return;
  kernel.warning(
      fmt::format("buffers have the size for the largest {0}: where the right answer depends on "
                  "it, variants with other values are 'correctness' without --per {1}",
                  fmt::join(t1.extents, ", "), fmt::join(t1.extents, " --per ")));
}

// Adds the geometry, which is the kernel's: the reference's configuration gives its names a value.
void add_geometry(const MapNode& study, MapNode& reference) {
  for (const auto& [key, value] : study.node()->value_of("launch")->entries) {
    reference.add(key->text, value);
  }
}

}  // namespace

void t1_add_problem_size(T1Parts& t1, const YamlNode& kernel, MapNode& study) {
  const YamlNode* node = t1_find(kernel, "ProblemSize");
  if (node == nullptr) return;
  MapNode size(*node);
  if (!node->is_sequence()) add_extent(t1, *node, 0, size);
  for (std::size_t i = 0; i < node->items.size(); ++i) add_extent(t1, *node->items[i], i, size);
  if (!size.empty()) study.add("problem_sizes", list_node(*node, {size.node()}));
}

void t1_add_launch(T1Parts& t1, const YamlNode& kernel, MapNode& study) {
  t1.block = block_of(t1, kernel);
  const auto place = [&](std::initializer_list<const char*> keys) -> const YamlNode& {
    for (const char* key : keys) {
      if (const YamlNode* found = t1_find(kernel, key)) return *found;
    }
    return kernel;
  };
  MapNode launch(kernel);
  launch.add("block", axes_node(place({"LocalSize"}), t1.block));
  launch.add("grid",
             axes_node(place({"GridDivX", "ProblemSize", "GlobalSize"}), grid_of(t1, kernel)));
  if (!t1.shared_bytes.empty()) {
    launch.add("dynamic_shared_bytes", text_node(place({"SharedMemory"}), t1.shared_bytes));
  }
  study.add("launch", launch);
}

void t1_add_reference(T1Parts& t1, const YamlNode& kernel, const YamlRef& entry, MapNode& study) {
  if (t1.outputs.empty()) return;  // which is said where any study is read
  const auto chosen = reference_configuration(t1, kernel);
  if (!chosen) return;
  MapNode configuration(kernel);
  for (std::size_t i = 0; i < chosen->size(); ++i) {
    configuration.add(t1.parameters[i].name, value_node(kernel, (*chosen)[i]));
  }
  MapNode reference(kernel);
  reference.add("entry", entry).add("configuration", configuration);
  add_geometry(study, reference);
  study.add("reference", reference).add("verify", tolerances(t1, kernel));
  warn_of_reference(t1, kernel, *chosen);
}

}  // namespace tuner
