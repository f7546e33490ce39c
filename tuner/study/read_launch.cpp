#include <array>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

// 1 to 3 expressions: one scalar, a list, or a map with keys x, y and z.
std::array<Expression, 3> read_axes(Reader& reader, const YamlNode& node, const Position& where,
                                    const std::string& what, unsigned kinds,
                                    const std::string& who) {
  std::array<Expression, 3> axes;
  if (node.is_scalar()) {
    axes[0] = reader.names.read(node, what, kinds, who);
  } else if (node.is_map()) {
    const std::array<const char*, 3> keys{"x", "y", "z"};
    const Fields fields(reader.diagnostics, node, where, what, {"x", "y", "z"});
    fields.require("x");
    for (std::size_t i = 0; i < 3; ++i) {
      const YamlNode* axis = fields.find(keys[i]);
      if (axis != nullptr) axes[i] = reader.names.read(*axis, what, kinds, who);
    }
  } else if (expect_list(reader.diagnostics, node, what)) {
    if (node.items.empty() || node.items.size() > 3) {
      reader.diagnostics.error(
          position_of(reader.diagnostics, node),
          what + " takes 1 to 3 expressions, not " + std::to_string(node.items.size()));
    }
    for (std::size_t i = 0; i < node.items.size() && i < 3; ++i) {
      axes[i] = reader.names.read(*node.items[i], what, kinds, who);
    }
  }
  return axes;
}

}  // namespace

LaunchSpec read_geometry(Reader& reader, const Fields& fields, unsigned kinds,
                         const std::string& who) {
  LaunchSpec launch;
  if (const YamlNode* block = fields.require("block")) {
    launch.block = read_axes(reader, *block, fields.where("block"), "'block'", kinds, who);
  }
  if (const YamlNode* grid = fields.require("grid")) {
    launch.grid = read_axes(reader, *grid, fields.where("grid"), "'grid'", kinds, who);
  }
  if (const YamlNode* bytes = fields.find("dynamic_shared_bytes")) {
    launch.dynamic_shared_bytes = reader.names.read(*bytes, "'dynamic_shared_bytes'", kinds, who);
  }
  return launch;
}

void read_launch(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields(reader.diagnostics, node, where, "'launch'",
                      {"block", "grid", "dynamic_shared_bytes"});
  reader.study.launch = read_geometry(reader, fields, kSpaceNames, "'launch'");
}

}  // namespace tuner
