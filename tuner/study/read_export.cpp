// export: how exported tables answer.

#include <algorithm>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

void read_weight(Reader& reader, const YamlNode& key, const YamlNode& value,
                 const std::vector<std::string>& dimensions) {
  const std::string what = "the weight of '" + key.text + "'";
  const auto weight = read_number(reader.diagnostics, value, what);
  if (std::find(dimensions.begin(), dimensions.end(), key.text) == dimensions.end()) {
    if (!reader.names.complete()) return;
    reader.diagnostics.error(position_of(reader.diagnostics, key),
                             "'problem_sizes' have no dimension '" + key.text + "'",
                             dimensions.empty() ? "" : suggestion_for(key.text, dimensions));
  } else if (weight && *weight < 0) {
    reader.diagnostics.error(position_of(reader.diagnostics, value),
                             what + " must be at least 0, not " + value.text);
  } else if (weight) {
    reader.study.exports.weights.emplace_back(key.text, *weight);
  }
}

void read_weights(Reader& reader, const YamlNode& node, const Position& where) {
  if (!expect_map(reader.diagnostics, node, "'weights'")) return;
  const std::vector<std::string> dimensions = reader.names.of_kinds(kSizeName);
  for (const auto& [key, value] : node.entries) read_weight(reader, *key, *value, dimensions);
  const auto& weights = reader.study.exports.weights;
  const bool all_zero =
      std::all_of(weights.begin(), weights.end(), [](const auto& one) { return one.second == 0; });
  if (all_zero && !weights.empty() && weights.size() == dimensions.size()) {
    reader.diagnostics.error(where, "all weights are 0: no size would be nearer than another");
  }
}

}  // namespace

void read_export(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields(reader.diagnostics, node, where, "'export'", {"weights"});
  if (const YamlNode* weights = fields.find("weights")) {
    read_weights(reader, *weights, fields.where("weights"));
  }
}

}  // namespace tuner
