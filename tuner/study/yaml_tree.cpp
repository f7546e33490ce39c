// Turns yaml-cpp's nodes into a tree that knows its places.

#include "tuner/study/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

#include "tuner/study/yaml_split.h"

namespace tuner {
namespace {

// Ends the reading of a file that is beyond a limit or makes no sense as a tree.
struct GiveUp {
  Position where;
  std::string message;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  YamlRef root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = made(YamlNode::Kind::kNull, mark);
    // Where nothing is written, yaml-cpp points at what comes next.
    const Position where = end_of_text_before(diagnostics_, position(mark));
    node->line = where.line;
    node->column = where.column;
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw GiveUp{position(mark), "this alias stands inside what it names"};
    }
    count(found->second->weight, mark);
    place(found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    if (value.find('\0') != std::string::npos) {
      // C++ text ends there: what comes after it would be lost without a word.
      diagnostics_.error(position(mark), "a text must not hold a NUL character ('\\0')");
    }
    auto node = made(YamlNode::Kind::kScalar, mark);
    node->plain = tag == "?" || tag.empty();
    node->text = value;
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::kSequence, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::kMap, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor;
    YamlRef key;  // of a map whose value comes next
  };

  Position position(const YAML::Mark& mark) const {
    return diagnostics_.at(mark.line + 1, mark.column + 1);
  }

  std::shared_ptr<YamlNode> made(YamlNode::Kind kind, const YAML::Mark& mark) {
    count(1, mark);
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    return node;
  }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    total_ += nodes;
    if (total_ > kMaxYamlNodes) {
      throw GiveUp{position(mark), "the file has more than " + std::to_string(kMaxYamlNodes) +
                                       " entries, aliases followed"};
    }
  }

  // "?" and "!" are yaml-cpp's marks for plain and quoted.
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str") return;
    diagnostics_.error(position(mark), "YAML tags mean nothing here",
                       "put text that begins with '!' in quotes");
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    check_tag(mark, tag);
    if (open_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
      throw GiveUp{position(mark), "lists and maps are nested deeper than " +
                                       std::to_string(kMaxYamlDepth) + " levels"};
    }
    auto node = made(kind, mark);
    node->flow = style == YAML::EmitterStyle::Flow;
    open_.push_back({std::move(node), anchor, nullptr});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.node->flow) rejoin_split_expressions(*done.node, diagnostics_);
    if (done.node->is_map()) keep_first_of_each_key(*done.node);
    finish(std::move(done.node), done.anchor);
  }

  void keep_first_of_each_key(YamlNode& map) {
    std::map<std::string, int> lines;
    std::erase_if(map.entries, [&](const auto& entry) {
      const YamlNode& key = *entry.first;
      const Position where = position_of(diagnostics_, key);
      if (!key.is_scalar()) {
        diagnostics_.error(where, "a key must be plain text");
        return true;
      }
      const auto [first, is_new] = lines.emplace(key.text, key.line);
      if (is_new) return false;
      diagnostics_.error(where, "duplicate key '" + key.text + "', first on line " +
                                    std::to_string(first->second));
      return true;
    });
  }

  void finish(std::shared_ptr<YamlNode> node, YAML::anchor_t anchor) {
    for (const YamlRef& item : node->items) node->weight += item->weight;
    for (const auto& [key, value] : node->entries) node->weight += key->weight + value->weight;
    YamlRef done = std::move(node);
    if (anchor != 0) anchors_[anchor] = done;
    place(std::move(done));
  }

  void place(YamlRef node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node->is_sequence()) {
      parent.node->items.push_back(std::move(node));
    } else if (!parent.key) {
      parent.key = std::move(node);
    } else {
      parent.node->entries.emplace_back(std::move(parent.key), std::move(node));
      parent.key = nullptr;
    }
  }

  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlRef> anchors_;
  YamlRef root_ = std::make_shared<YamlNode>();
  std::size_t total_ = 0;
};

}  // namespace

YamlRef parse_yaml(Diagnostics& diagnostics) {
  if (diagnostics.text().size() > kMaxYamlBytes) {
    diagnostics.error(diagnostics.at(0, 0),
                      "the file is larger than " + std::to_string(kMaxYamlBytes >> 20) + " MiB");
    return nullptr;
  }
  std::istringstream in(diagnostics.text());
  TreeBuilder builder(diagnostics);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    TreeBuilder rest(diagnostics);
    if (parser.HandleNextDocument(rest)) {
      diagnostics.error(position_of(diagnostics, *rest.root()),
                        "a second document begins here; a study file holds one");
    }
  } catch (const YAML::Exception& e) {
    const Position where = diagnostics.at(e.mark.line + 1, e.mark.column + 1);
    diagnostics.error(where, "this is not valid YAML: " + e.msg,
                      syntax_hint(diagnostics, where.line));
    return nullptr;
  } catch (const GiveUp& e) {
    diagnostics.error(e.where, e.message);
    return nullptr;
  }
  return builder.root();
}

}  // namespace tuner
