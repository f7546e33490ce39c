// Reads the section `problem_sizes`.

#include <algorithm>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

std::vector<std::string> dimension_names(const ProblemSize& size) {
  std::vector<std::string> names;
  for (const auto& [name, extent] : size.dims) names.push_back(name);
  return names;
}

// Every extent of the map, 1 standing in for one that is wrong.
ProblemSize read_extents(Diagnostics& diagnostics, const YamlNode& node) {
  ProblemSize size;
  for (const auto& [key, value] : node.entries) {
    const std::string what = "problem size '" + key->text + "'";
    const auto extent = read_integer(diagnostics, *value, what);
    if (extent && *extent <= 0) {
      diagnostics.error(position_of(diagnostics, *value),
                        what + " must be at least 1, not " + std::to_string(*extent));
    }
    size.dims.emplace_back(key->text, extent && *extent > 0 ? *extent : 1);
  }
  return size;
}

// Brings the dimensions into the order of the first size; false when they are not the same ones.
bool align(Diagnostics& diagnostics, const YamlNode& node, const Position& where,
           const std::vector<std::string>& wanted, ProblemSize& size) {
  const std::vector<std::string> names = dimension_names(size);
  bool same = true;
  for (const auto& [key, value] : node.entries) {
    if (std::find(wanted.begin(), wanted.end(), key->text) != wanted.end()) continue;
    diagnostics.error(position_of(diagnostics, *key),
                      "the first problem size has no '" + key->text + "'",
                      suggestion_for(key->text, wanted));
    same = false;
  }
  ProblemSize aligned;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
      aligned.dims.push_back(size.dims[static_cast<std::size_t>(found - names.begin())]);
    } else {
      diagnostics.error(where, "this problem size has no '" + name + "'");
      same = false;
    }
  }
  size = std::move(aligned);
  return same;
}

}  // namespace

void read_sizes(Reader& reader, const YamlNode& node) {
  Diagnostics& diagnostics = reader.diagnostics;
  if (!expect_list(diagnostics, node, "'problem_sizes'")) {
    reader.names.set_incomplete();
    return;
  }
  if (node.items.empty()) {
    diagnostics.error(position_of(diagnostics, node), "'problem_sizes' is empty");
  }
  std::vector<ProblemSize>& sizes = reader.study.sizes;
  for (const YamlRef& item : node.items) {
    if (!expect_map(diagnostics, *item, "a problem size")) continue;
    const bool is_first = sizes.empty();
    ProblemSize size = read_extents(diagnostics, *item);
    if (is_first) {
      for (const auto& [key, value] : item->entries) reader.names.declare(*key, kSizeName);
    } else if (!align(diagnostics, *item, position_of(diagnostics, *item),
                      dimension_names(sizes.front()), size)) {
      continue;
    }
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) {
      diagnostics.error(position_of(diagnostics, *item),
                        "problem size " + size.label() + " is in the list twice");
    } else {
      sizes.push_back(std::move(size));
    }
  }
}

}  // namespace tuner
