// tensor_map: a map of another argument's buffer.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/study/record_types.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

namespace {

void read_box(Reader& reader, const YamlNode& node, TensorMapSpec& map) {
  if (!expect_list(node, "'box'")) return;
  for (const YamlRef& item : node.items) {
    map.box.push_back(reader.names.read(*item, "'box'", kSpaceNames, "'box'"));
  }
}

void check_tensor_map(Reader& reader, const ArgumentSpec& argument) {
  const TensorMapSpec& map = *argument.map;
  const std::vector<ArgumentSpec>& all = reader.study.arguments;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ArgumentSpec& other) { return other.name == map.of; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const ArgumentSpec& other : all) {
      if (!other.is_scalar) names.push_back(other.name);
    }
    reader.error(map.where, "there is no argument '" + map.of + "'", suggestion_for(map.of, names));
  } else if (found->is_scalar) {
    reader.error(map.where, "'" + map.of + "' is no buffer: there is nothing to make a map of");
  } else if (found->role == Role::kScratch) {
    reader.error(map.where, "'" + map.of + "' is scratch, which has no fixed extents");
  } else if (found->role == Role::kWorkspace) {
    reader.error(map.where, "'" + map.of + "' is a workspace, which has no fixed extents");
  } else if (!map.box.empty() && !found->shape.empty() && map.box.size() != found->shape.size()) {
    reader.error(map.where, "the box has " + std::to_string(map.box.size()) +
                                " extents, the shape of '" + map.of + "' " +
                                std::to_string(found->shape.size()));
  }
}

}  // namespace

void read_tensor_map(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  argument.is_scalar = true;
  fields.refuse({"type", "shape", "role", "fill", "zero", "value"},
                "'" + argument.name + "' is a tensor map");
  const YamlNode* node = fields.require("tensor_map");
  if (node == nullptr) return;
  const Position where = fields.where("tensor_map");
  const Fields inner(*node, where, "'tensor_map'", {"of", "box", "swizzle"});
  if (!inner.is_map()) return;
  TensorMapSpec map;
  const YamlNode* of = inner.require("of");
  const YamlNode* box = inner.require("box");
  if (box != nullptr) {
    read_box(reader, *box, map);
    constexpr std::size_t kMostDimensions = 5;
    if (box->is_sequence() && (box->items.empty() || box->items.size() > kMostDimensions)) {
      box->error("a box has one to five extents");
    }
  }
  if (const YamlNode* swizzle = inner.find("swizzle")) {
    map.swizzle = reader.names.read(*swizzle, "'swizzle'", kSpaceNames, "'swizzle'");
  }
  if (of == nullptr) return;
  map.of = read_text(*of, "'of'").value_or("");
  map.where = of->where();
  argument.map = std::move(map);
}

void check_tensor_maps(Reader& reader) {
  for (const ArgumentSpec& argument : reader.study.arguments) {
    if (argument.map && !argument.map->of.empty()) check_tensor_map(reader, argument);
  }
}

}  // namespace tuner
