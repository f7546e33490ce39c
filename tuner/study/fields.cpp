// Reads a map with known keys and reports unknown and missing ones.

#include "tuner/study/fields.h"

#include <algorithm>

#include "tuner/study/scalars.h"

namespace tuner {

Fields::Fields(Diagnostics& diagnostics, const YamlNode& node, Position where, std::string what,
               const std::vector<std::string>& known)
    : diagnostics_(diagnostics), node_(node), where_(std::move(where)), what_(std::move(what)) {
  is_map_ = expect_map(diagnostics, node, what_);
  if (!is_map_) return;
  for (const auto& [key, value] : node.entries) {
    if (std::find(known.begin(), known.end(), key->text) != known.end()) continue;
    diagnostics.error(position_of(diagnostics, *key), "unknown key '" + key->text + "' in " + what_,
                      suggestion_for(key->text, known));
  }
}

const std::pair<YamlRef, YamlRef>* Fields::entry(std::string_view key) const {
  if (!is_map_) return nullptr;
  const auto found = std::find_if(node_.entries.begin(), node_.entries.end(),
                                  [key](const auto& e) { return e.first->text == key; });
  return found == node_.entries.end() ? nullptr : &*found;
}

bool Fields::mentions(std::string_view key) const { return entry(key) != nullptr; }

const YamlNode* Fields::find(std::string_view key) const {
  const auto* found = entry(key);
  return found == nullptr || found->second->is_null() ? nullptr : found->second.get();
}

const YamlNode* Fields::require(std::string_view key) const {
  const YamlNode* value = find(key);
  if (value == nullptr && is_map_) {
    const std::string name = "'" + std::string(key) + "'";
    diagnostics_.error(where(key),
                       mentions(key) ? name + " is empty" : "missing key " + name + " in " + what_);
  }
  return value;
}

Position Fields::where(std::string_view key) const {
  const auto* found = entry(key);
  return found == nullptr ? where_ : position_of(diagnostics_, *found->first);
}

}  // namespace tuner
