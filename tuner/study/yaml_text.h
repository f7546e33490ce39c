#pragma once
// Trees of studies that are made here, not read; and how a tree is written as YAML.

#include <memory>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {

// Makes a node that stands where `at` does.
YamlRef text_node(const YamlNode& at, std::string text);
// One that is written without quotes: a number or a word.
YamlRef word_node(const YamlNode& at, std::string text);
YamlRef list_node(const YamlNode& at, std::vector<YamlRef> items);
YamlRef value_node(const YamlNode& at, const Value& value);
// A map under construction, which stands where `at` does.
class MapNode {
 public:
  explicit MapNode(const YamlNode& at);
  MapNode& add(const std::string& key, YamlRef value);  // nothing where the value is null
  MapNode& add(const std::string& key, const MapNode& value);
  bool empty() const { return node_->entries.empty(); }
  YamlRef node() const { return node_; }

 private:
  std::shared_ptr<YamlNode> node_;
};

// Writes the tree of a study as a file that reads as the same tree, section by section in the order
// of study_sections(); each line of `remark` becomes a comment at the top.
std::string yaml_text(const YamlNode& study, const std::string& remark);

// The tree of a study that holds these parameters alone.
YamlRef space_tree(const std::vector<Parameter>& parameters);

}  // namespace tuner
