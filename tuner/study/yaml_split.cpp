// Puts together expressions that YAML has split at their commas.

#include "tuner/study/yaml_split.h"

namespace tuner {
namespace {

// Parentheses opened less those closed; quoted text counts as closed.
int open_parentheses(const YamlNode& node) {
  if (!node.is_scalar() || !node.plain) return 0;
  int depth = 0;
  for (const char c : node.text) depth += c == '(' ? 1 : (c == ')' ? -1 : 0);
  return depth;
}

YamlRef joined(const YamlRef& first, const std::string& text, Diagnostics& diagnostics) {
  diagnostics.error(position_of(diagnostics, *first), "YAML splits '" + text + "' at the comma",
                    "put it in quotes: \"" + text + "\"");
  auto whole = std::make_shared<YamlNode>(*first);
  whole->text = text;
  return whole;
}

void rejoin_items(YamlNode& list, Diagnostics& diagnostics) {
  std::vector<YamlRef> whole;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    int depth = open_parentheses(*list.items[i]);
    std::string text = list.items[i]->text;
    std::size_t last = i;
    while (depth > 0 && last + 1 < list.items.size() && list.items[last + 1]->is_scalar()) {
      ++last;
      depth += open_parentheses(*list.items[last]);
      text += ", " + list.items[last]->text;
    }
    const bool split = last > i && depth == 0;
    whole.push_back(split ? joined(list.items[i], text, diagnostics) : list.items[i]);
    if (split) i = last;
  }
  list.items = std::move(whole);
}

// The later pieces of a value look like keys without a value.
void rejoin_entries(YamlNode& map, Diagnostics& diagnostics) {
  std::vector<std::pair<YamlRef, YamlRef>> whole;
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    auto [key, value] = map.entries[i];
    int depth = open_parentheses(*value);
    std::string text = value->text;
    std::size_t last = i;
    while (depth > 0 && last + 1 < map.entries.size() && map.entries[last + 1].second->is_null()) {
      ++last;
      depth += open_parentheses(*map.entries[last].first);
      text += ", " + map.entries[last].first->text;
    }
    const bool split = last > i && depth == 0;
    whole.emplace_back(key, split ? joined(value, text, diagnostics) : value);
    if (split) i = last;
  }
  map.entries = std::move(whole);
}

}  // namespace

void rejoin_split_expressions(YamlNode& flow, Diagnostics& diagnostics) {
  if (flow.is_sequence()) rejoin_items(flow, diagnostics);
  if (flow.is_map()) rejoin_entries(flow, diagnostics);
}

}  // namespace tuner
