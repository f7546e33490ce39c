#pragma once
// Maps with known keys.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/study/yaml_tree.h"

namespace tuner {

// A map whose keys are known in advance. Says what is unknown or missing.
class Fields {
 public:
  // `what` names the map in messages ("'kernel'"), `where` is its key's place. The node must
  // outlive this object; one that is not a map is an error and has no fields.
  Fields(Diagnostics& diagnostics, const YamlNode& node, Position where, std::string what,
         const std::vector<std::string>& known);

  bool is_map() const { return is_map_; }
  // Whether the file mentions the key, even with nothing behind it.
  bool mentions(std::string_view key) const;
  // The value, or null where the key is absent or nothing stands behind it.
  const YamlNode* find(std::string_view key) const;
  // The same, but its absence is an error.
  const YamlNode* require(std::string_view key) const;
  // Place of the key, or of the map where it is absent.
  Position where(std::string_view key) const;

 private:
  const std::pair<YamlRef, YamlRef>* entry(std::string_view key) const;

  Diagnostics& diagnostics_;
  const YamlNode& node_;
  Position where_;
  std::string what_;
  bool is_map_ = false;
};

}  // namespace tuner
