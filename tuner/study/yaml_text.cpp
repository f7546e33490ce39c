// Makes trees, and writes them as YAML.

#include "tuner/study/yaml_text.h"

#include <algorithm>

#include "tuner/base/text.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

std::shared_ptr<YamlNode> node_at(const YamlNode& at, YamlNode::Kind kind) {
  auto node = std::make_shared<YamlNode>();
  node->diagnostics = at.diagnostics;
  node->kind = kind;
  node->line = at.line;
  node->column = at.column;
  return node;
}

// Quotes a name that YAML would read as nothing.
std::string key_text(const std::string& key) {
  const std::string name = lower(key);
  return name.empty() || name == "null" || name == "~" ? quoted(key) : key;
}

// Writes a node within a line: [1, "text"], {key: value}.
std::string in_flow(const YamlNode& node) {
  if (node.is_scalar()) return node.plain ? node.text : quoted(node.text);
  std::string out;
  for (const YamlRef& item : node.items) out += (out.empty() ? "" : ", ") + in_flow(*item);
  for (const auto& [key, value] : node.entries) {
    out += (out.empty() ? "" : ", ") + key_text(key->text) + ": " + in_flow(*value);
  }
  return node.is_map() ? "{" + out + "}" : "[" + out + "]";
}

// Writes a section: an entry or an item in each line.
std::string section(const std::string& key, const YamlNode& node) {
  if (node.is_scalar()) return key + ": " + in_flow(node) + "\n";
  std::string out = key + ":\n";
  for (const YamlRef& item : node.items) out += "  - " + in_flow(*item) + "\n";
  for (const auto& [name, value] : node.entries) {
    out += "  " + key_text(name->text) + ": " + in_flow(*value) + "\n";
  }
  return out;
}

}  // namespace

YamlRef text_node(const YamlNode& at, std::string text) {
  auto node = node_at(at, YamlNode::Kind::kScalar);
  node->text = std::move(text);
  node->plain = false;
  return node;
}

YamlRef word_node(const YamlNode& at, std::string text) {
  auto node = node_at(at, YamlNode::Kind::kScalar);
  node->text = std::move(text);
  return node;
}

YamlRef list_node(const YamlNode& at, std::vector<YamlRef> items) {
  auto node = node_at(at, YamlNode::Kind::kSequence);
  node->items = std::move(items);
  return node;
}

YamlRef value_node(const YamlNode& at, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? text_node(at, *text) : word_node(at, to_text(value));
}

MapNode::MapNode(const YamlNode& at) : node_(node_at(at, YamlNode::Kind::kMap)) {}

MapNode& MapNode::add(const std::string& key, YamlRef value) {
  if (value != nullptr) node_->entries.emplace_back(word_node(*value, key), std::move(value));
  return *this;
}

MapNode& MapNode::add(const std::string& key, const MapNode& value) {
  return add(key, value.node());
}

std::string yaml_text(const YamlNode& study, const std::string& remark) {
  std::string out;
  for (std::size_t at = 0; at < remark.size();) {
    const std::size_t end = std::min(remark.find('\n', at), remark.size());
    out += "# " + remark.substr(at, end - at) + "\n";
    at = end + 1;
  }
  for (const std::string& key : study_sections()) {
    if (const YamlNode* node = study.value_of(key)) out += section(key, *node);
  }
  return out;
}

YamlRef space_tree(const std::vector<Parameter>& parameters) {
  const YamlNode nowhere;
  MapNode all(nowhere);
  for (const Parameter& one : parameters) {
    std::vector<YamlRef> values;
    for (const Value& value : one.values) values.push_back(value_node(nowhere, value));
    all.add(one.name, list_node(nowhere, std::move(values)));
  }
  return MapNode(nowhere).add("schema", word_node(nowhere, "1")).add("parameters", all).node();
}

}  // namespace tuner
