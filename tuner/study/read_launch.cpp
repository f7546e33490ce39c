// launch: the launches of a variant, in their order.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/resolve/argument_places.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

constexpr std::size_t kMostFollowing = 15;  // launches of 'then'

constexpr auto kAxisKeys = key_table("axes", key("x", "expression", "").needed(),
                                     key("y", "expression", ""), key("z", "expression", ""));

constexpr auto kBlock = key("block", "axes", "Threads of a block.");
constexpr auto kGrid = key("grid", "axes", "Blocks.");
constexpr auto kShared = key("dynamic_shared_bytes", "expression", "Of each block; 0 if absent.");
constexpr auto kCluster = key("cluster", "axes", "Blocks of a cluster.");
constexpr auto kCooperative =
    key("cooperative", "expression", "true: all blocks run at once, for grid.sync().");
constexpr auto kCarveout =
    key("carveout", "expression", "Percent of the L1 cache's memory that is shared memory; or -1.");
constexpr auto kScheduling =
    key("scheduling", "expression", "Of clusters: 'default', 'spread' or 'load_balancing'.");

constexpr auto kNextLaunch = key_table(
    "a launch of 'then'", key("entry", "text", "Another kernel of the same source.").needed(),
    kBlock.needed(), kGrid.needed(), kShared, kCluster, kCooperative, kCarveout, kScheduling,
    key("programmatic", "expression",
        "true: it may begin before the one in front of it has ended."),
    key("arguments", "names", "What it takes; all if absent."),
    key("when", "expression", "Where this is false there is no such launch."));

constexpr auto kLimits = key_table(
    "'limits'",
    key("heap", &KernelLimits::heap, at_least(1), "Bytes of malloc and new in kernels."),
    key("stack", &KernelLimits::stack, at_least(1), "Bytes of each thread."),
    key("printf", &KernelLimits::printf, at_least(1), "Bytes that printf in kernels fills."));

constexpr auto kLaunch =
    key_table("'launch'", kBlock, kGrid, kShared, kCluster, kCooperative, kCarveout, kScheduling,
              key("work", "expression", "Pieces of work that blocks share evenly."),
              key("then", "then", "Launches that follow."),
              key("arguments", "names", "Of the first launch; all if absent."),
              key("repeat", "expression", "How often all launches are made."),
              key("swap", "swap", "Buffers that change places after each round."),
              key("limits", "limits", "As cudaDeviceSetLimit sets them, of the whole study."));

// 1 to 3 expressions: one scalar, a list, or a map with keys x, y and z.
std::array<Expression, 3> read_axes(Reader& reader, const YamlNode& node, const Position& where,
                                    const std::string& what, unsigned kinds,
                                    const std::string& who) {
  std::array<Expression, 3> axes;
  if (node.is_scalar()) {
    axes[0] = reader.names.read(node, what, kinds, who);
  } else if (node.is_map()) {
    const std::array<const char*, 3> keys{"x", "y", "z"};
    const Fields fields = kAxisKeys.fields(node, where, what);
    fields.require("x");
    for (std::size_t i = 0; i < 3; ++i) {
      const YamlNode* axis = fields.find(keys[i]);
      if (axis != nullptr) axes[i] = reader.names.read(*axis, what, kinds, who);
    }
  } else if (expect_list(node, what)) {
    if (node.items.empty() || node.items.size() > 3) {
      node.error(what + " takes 1 to 3 expressions, not " + std::to_string(node.items.size()));
    }
    for (std::size_t i = 0; i < node.items.size() && i < 3; ++i) {
      axes[i] = reader.names.read(*node.items[i], what, kinds, who);
    }
  }
  return axes;
}

void read_attributes(Reader& reader, const Fields& fields, unsigned kinds, const std::string& who,
                     LaunchAttributesSpec& attributes) {
  if (const YamlNode* cluster = fields.find("cluster")) {
    attributes.cluster =
        read_axes(reader, *cluster, fields.where("cluster"), "'cluster'", kinds, who);
  }
  attributes.cooperative = reader.expression(fields, "cooperative", kinds, who);
  attributes.carveout = reader.expression(fields, "carveout", kinds, who);
  attributes.scheduling = reader.expression(fields, "scheduling", kinds, who);
  attributes.programmatic = reader.expression(fields, "programmatic", kinds, who);
}

// Reads a further launch of the study or of its reference, whose expressions may use fewer names
// (`kinds`).
NextLaunchSpec read_next_launch(Reader& reader, const YamlNode& node, unsigned kinds) {
  const std::string who = kNextLaunch.what;
  const Fields fields = kNextLaunch.fields(node, node.where());
  NextLaunchSpec next;
  if (!fields.is_map()) return next;
  if (const YamlNode* entry = fields.require("entry")) {
    next.entry = read_text(*entry, "'entry'").value_or("");
    check_placeholders(reader, *entry, kinds, "'entry'");
  }
  next.launch = read_geometry(reader, fields, kinds, who);
  read_attributes(reader, fields, kinds, who, next.launch.attributes);
  if (const YamlNode* arguments = fields.find("arguments")) {
    for (const auto& [name, place] : read_argument_names(reader, *arguments, who)) {
      next.arguments.push_back(name);
    }
    if (arguments->is_sequence() && arguments->items.empty()) {
      arguments->error("a kernel without arguments computes nothing",
                       "leave the key out to pass all of them");
    }
  }
  next.when = reader.expression(fields, "when", kinds, "'when'");
  return next;
}

// Why two arguments cannot change places; empty: they can.
std::string why_not_swapped(const ArgumentSpec& one, const ArgumentSpec& other) {
  if (&one == &other) return "'" + one.name + "' cannot change places with itself";
  const auto text = [](const Expression& extent) { return extent.text(); };
  const std::string both = "'" + one.name + "' and '" + other.name + "' cannot change places: ";
  const auto type = [](const ArgumentSpec& argument) {
    return argument.choice ? argument.type_name : std::string(name_of(argument.type));
  };
  if (one.is_scalar || other.is_scalar || type(one) != type(other) ||
      !std::ranges::equal(one.shape, other.shape, {}, text, text)) {
    return both + "they must be buffers of one type and one shape";
  }
  for (const ArgumentSpec* each : {&one, &other}) {
    if (each->role != Role::kIn) continue;
    return both + "'" + each->name + "' has role in, and would be written to (role: inout)";
  }
  return {};
}

// Which buffers change places: [[a, b], ...].
void read_swap(Reader& reader, const YamlNode& node, RoundsSpec& rounds) {
  for (const YamlRef& item : items_of(node, "'swap'")) {
    if (!item->is_sequence() || item->items.size() != 2) {
      item->error("'swap' is a list of pairs", "swap: [[a, b]]");
      continue;
    }
    const auto names = read_argument_names(reader, *item, "'swap'");
    if (names.size() != 2) continue;
    const ArgumentSpec& one = *find_argument(reader.study, names[0].first);
    const ArgumentSpec& other = *find_argument(reader.study, names[1].first);
    const std::string wrong = why_not_swapped(one, other);
    if (wrong.empty()) {
      rounds.swap.emplace_back(one.name, other.name);
    } else {
      reader.error(names[1].second, wrong);
    }
  }
}

// Places of what a launch and those that follow it take, and of what they reach through that.
std::vector<std::uint32_t> taken_by(const Study& study, const std::vector<std::string>& first,
                                    const std::vector<NextLaunchSpec>& then,
                                    bool with_what_they_reach = true) {
  std::vector<std::uint32_t> taken;
  const auto take = [&](const std::vector<std::string>& names) {
    const auto places = positions_of(study.arguments, names, "a launch", {});
    if (places) taken.insert(taken.end(), places->begin(), places->end());
  };
  take(first);
  for (const NextLaunchSpec& next : then) take(next.arguments);
  return with_what_they_reach ? with_reached(study.arguments, std::move(taken)) : taken;
}

// An array gets what its buffer holds before the first of these launches, and the buffer gets it
// back behind the last: in between, each would miss what is written to the other.
void refuse_arrays_beside_memory(Reader& reader, const std::vector<std::string>& first,
                                 const std::vector<NextLaunchSpec>& then) {
  const std::vector<ArgumentSpec>& all = reader.study.arguments;
  std::set<std::string> as_memory;
  std::vector<const MemberSpec*> as_arrays;
  const auto passed = taken_by(reader.study, first, then, false);
  for (const std::uint32_t i : passed) {
    if (all[i].map) as_memory.insert(all[i].map->of);
    if (!all[i].is_scalar) as_memory.insert(all[i].name);
  }
  for (const std::uint32_t i : with_reached(all, passed)) {
    if (!all[i].record) continue;
    for (const MemberSpec& member : all[i].record->members) {
      const bool is_array =
          member.texture && member.texture->kind != TextureView::Kind::kOverMemory;
      if (is_array) {
        as_arrays.push_back(&member);
      } else {
        as_memory.insert(member.of);
      }
    }
  }
  for (const MemberSpec* one : as_arrays) {
    if (!as_memory.contains(one->of)) continue;
    reader.error(one->where,
                 "these launches take the memory of '" + one->of +
                     "', too, and the array holds a copy of it",
                 "arrays alone, or 'texture' without 'array'");
  }
}

}  // namespace

void check_launched_arrays(Reader& reader) {
  const Study& study = reader.study;
  refuse_arrays_beside_memory(reader, study.launch_arguments, study.then);
  const bool is_launched = study.reference && study.reference->is_launched();
  if (!is_launched) return;
  refuse_arrays_beside_memory(reader, study.reference->arguments, study.reference->then);
}

void warn_of_idle_arguments(Reader& reader) {
  const Study& study = reader.study;
  std::vector<std::uint32_t> taken = taken_by(study, study.launch_arguments, study.then);
  std::vector<std::uint32_t> by_reference;
  if (study.reference) {
    by_reference = taken_by(study, study.reference->arguments, study.reference->then);
  }
  for (std::uint32_t i = 0; i < study.arguments.size(); ++i) {
    const ArgumentSpec& idle = study.arguments[i];
    const bool counts = idle.is_beside || (study.reference && !study.reference->arguments.empty());
    if (std::ranges::find(taken, i) != taken.end()) continue;
    if (idle.is_beside && study.memory_is_captured) continue;  // it is where it was
    if (counts && std::ranges::find(by_reference, i) != by_reference.end()) continue;
    reader.warning(idle.where,
                   (idle.is_beside ? "nothing reaches '" : "no launch takes '") + idle.name + "'");
  }
}

void read_sequence(Reader& reader, const Fields& fields, unsigned kinds, const std::string& who,
                   std::vector<NextLaunchSpec>& then, RoundsSpec& rounds) {
  rounds.repeat = reader.expression(fields, "repeat", kinds, who);
  if (const YamlNode* swap = fields.find("swap")) {
    read_swap(reader, *swap, rounds);
    if (!fields.mentions("repeat")) {
      swap->error("'swap' has no effect without 'repeat'",
                  "repeat: how often all launches are made");
    }
  }
  const YamlNode* node = fields.find("then");
  if (node == nullptr || !expect_list(*node, "'then'")) return;
  if (node->items.size() > kMostFollowing) {
    node->items[kMostFollowing]->error("at most " + std::to_string(kMostFollowing) +
                                       " launches may follow, not " +
                                       std::to_string(node->items.size()));
    return;
  }
  for (const YamlRef& item : node->items) then.push_back(read_next_launch(reader, *item, kinds));
}

LaunchSpec read_geometry(Reader& reader, const Fields& fields, unsigned kinds,
                         const std::string& who) {
  LaunchSpec launch;
  if (const YamlNode* block = fields.require("block")) {
    launch.block = read_axes(reader, *block, fields.where("block"), "'block'", kinds, who);
  }
  if (const YamlNode* grid = fields.require("grid")) {
    launch.grid = read_axes(reader, *grid, fields.where("grid"), "'grid'", kinds, who);
  }
  launch.dynamic_shared_bytes = reader.expression(fields, "dynamic_shared_bytes", kinds, who);
  return launch;
}

std::vector<std::pair<std::string, Position>> read_argument_names(Reader& reader,
                                                                  const YamlNode& node,
                                                                  const std::string& who) {
  std::vector<std::string> known;
  for (const ArgumentSpec& argument : reader.study.arguments) known.push_back(argument.name);
  std::vector<std::pair<std::string, Position>> names;
  for (const YamlRef& item : items_of(node, "'arguments' of " + who)) {
    const auto name = read_text(*item, "an argument of " + who);
    if (!name) continue;
    if (std::ranges::find(known, *name) == known.end()) {
      item->error("the kernel has no argument '" + *name + "'", suggestion_for(*name, known));
    } else {
      names.emplace_back(*name, item->where());
    }
  }
  return names;
}

void read_launch(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kLaunch.fields(node, where);
  reader.study.launch = read_geometry(reader, fields, kSpaceNames, "'launch'");
  read_attributes(reader, fields, kSpaceNames, "'launch'", reader.study.launch.attributes);
  reader.study.work = reader.expression(fields, "work", kSpaceNames, "'launch'");
  if (const YamlNode* limits = fields.find("limits")) {
    kLimits.read(reader, kLimits.fields(*limits, fields.where("limits")), reader.study.limits);
  }
  if (const YamlNode* arguments = fields.find("arguments")) {
    for (const auto& [name, place] : read_argument_names(reader, *arguments, "'launch'")) {
      reader.study.launch_arguments.push_back(name);
    }
  }
  read_sequence(reader, fields, kSpaceNames, "'launch'", reader.study.then, reader.study.rounds);
}

void describe_launch(SchemaParts& parts) {
  const Schema one = Schema::parse(R"({"$ref": "#/definitions/expression"})");
  const Schema list = {{"type", "array"}, {"minItems", 1}, {"maxItems", 3}, {"items", one}};
  parts.definitions["axes"] = {{"anyOf", Schema::array({one, list, kAxisKeys.schema()})}};
  parts.definitions["then"] = {
      {"type", "array"}, {"maxItems", kMostFollowing}, {"items", kNextLaunch.schema()}};
  add_schema(parts.definitions, R"({"swap": {"type": "array", "items": {
    "type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string"}}}})");
  parts.definitions["limits"] = kLimits.schema();
  parts.sections["launch"] = kLaunch.schema();
}

}  // namespace tuner
