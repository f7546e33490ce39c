#pragma once
// Where the plugins of tests/bad_plugins are built, and a space to try strategies on.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/plugin/catalogue.h"
#include "tuner/space/search_space.h"

namespace tuner {

inline std::filesystem::path test_plugin_directory(const std::string& folder) {
  return std::filesystem::path(TUNER_BINARY_DIR) / "tests" / "bad_plugins" / folder;
}

inline Catalogue load_test_plugins(const std::vector<std::string>& folders) {
  PluginSearch search;
  for (const std::string& folder : folders) {
    search.directories.push_back(test_plugin_directory(folder));
  }
  return Catalogue::load(search);
}

// 3 x 4 x 2 = 24 configurations, 18 of them valid.
inline SearchSpace test_space() {
  SpaceDefinition d;
  d.parameters.push_back({"a", {std::int64_t{1}, std::int64_t{2}, std::int64_t{8}}, {}});
  d.parameters.push_back({"b", {0.5, 1.0, 2.0, 4.0}, {}});
  d.parameters.push_back({"mode", {std::string("static"), std::string("dynamic")}, {}});
  d.constraints.push_back(Expression::parse_or_throw("a * b <= 8"));
  return SearchSpace::build(std::move(d));
}

}  // namespace tuner
