// Makes a tree of a YAML or JSON file, puts together expressions that YAML split, and knows where
// each character of the tree stands in the file.

#include "tuner/study/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace tuner {

// ---- positions ----------------------------------------------------------------------------------

namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Whether a byte belongs to a character of UTF-8 that began before it.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// One character as it is written in the file.
struct RawCharacter {
  std::size_t length;
  bool is_blank;  // a space or the like, or nothing
};

// Reads the escape "\\u00e9", "\\n" or the like.
RawCharacter escape_at(const std::string& raw, std::size_t at) {
  const char kind = raw[at + 1];
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits == 0) return {2, std::string_view("ntrvf \t\n").find(kind) != std::string::npos};
  const auto code = std::strtoul(raw.substr(at + 2, digits).c_str(), nullptr, 16);
  if (code >= 0xD800 && code < 0xDC00) return {12, false};  // the first of a pair of surrogates
  return {digits + 2, code < 0x80 && is_space(static_cast<char>(code))};
}

// Walks the file's text in step with a scalar's decoded text.
class RawCursor {
 public:
  RawCursor(const std::string& raw, std::size_t begin) : raw_(raw), at_(begin) {
    if (at_ >= raw_.size()) return;
    const char first = raw_[at_];
    if (first == '"' || first == '\'') {
      quote_ = first;
      ++at_;
    } else if (first == '|' || first == '>') {
      at_ = std::min(raw_.find('\n', at_), raw_.size());
    }
  }

  // Folding turns line breaks and indentation into single spaces: only visible text is matched.
  std::size_t next_visible() {
    while (at_ < raw_.size() && character().is_blank) at_ += character().length;
    return at_;
  }

  void pass_visible() {
    if (next_visible() < raw_.size()) at_ += character().length;
  }

  std::size_t at() const { return at_; }

 private:
  RawCharacter character() const {
    const char first = raw_[at_];
    const bool is_last = at_ + 1 >= raw_.size();
    if (quote_ == '"' && first == '\\' && !is_last) return escape_at(raw_, at_);
    if (quote_ == '\'' && first == '\'') return {2, false};
    std::size_t end = at_ + 1;
    while (end < raw_.size() && continues(raw_[end])) ++end;
    return {end - at_, is_space(first)};
  }

  const std::string& raw_;
  std::size_t at_;
  char quote_ = 0;
};

// The place itself when "~" or "null" is written there, else the end of the text before it.
Position end_of_text_before(const Diagnostics& diagnostics, const Position& where) {
  const std::string& text = diagnostics.text();
  std::size_t at = diagnostics.offset_of(where.line, where.column);
  if (text.compare(at, 1, "~") == 0 || text.compare(at, 4, "null") == 0) return where;
  while (at > 0 && is_space(text[--at])) {
  }
  return diagnostics.position_of(at);
}

// Suggests how to mend a line that is not YAML, for usual mistakes: tabs, or text that begins with
// a quote and goes on.
std::string syntax_hint(const Diagnostics& diagnostics, int line) {
  const std::string& text = diagnostics.text();
  const std::size_t begin = diagnostics.offset_of(line, 1);
  // std::regex goes one call deeper for each character: long lines get no hint.
  constexpr std::size_t kLongestLine = 500;
  const std::string all = text.substr(begin, text.find('\n', begin) - begin);
  if (all.size() > kLongestLine) return {};
  const std::string indent = all.substr(0, all.find_first_not_of(" \t"));
  if (indent.find('\t') != std::string::npos) return "indent with spaces, not tabs";
  static const std::regex kQuoteThenText(
      "\\s*(- |[^'\":]*: )\\s*('[^']*'|\"[^\"]*\")\\s*[^\\s,#].*");
  if (std::regex_match(all, kQuoteThenText)) return "put the whole expression in quotes";
  return {};
}

}  // namespace

bool is_comprehension(const std::string& text) {
  const std::size_t loop = text.find(" for ");
  return loop != text.npos && text.find(" in ", loop) != text.npos;
}

Position YamlNode::where() const { return diagnostics->at(line, column); }

Position YamlNode::where(std::size_t offset) const {
  RawCursor cursor(diagnostics->text(), diagnostics->offset_of(line, column));
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (!is_space(text[i]) && !continues(text[i])) cursor.pass_visible();
  }
  if (offset < text.size()) return diagnostics->position_of(cursor.next_visible());
  return diagnostics->position_of(std::min(cursor.at(), diagnostics->text().size()));
}

std::filesystem::path YamlNode::folder() const {
  return std::filesystem::absolute(where().file).lexically_normal().parent_path();
}

void YamlNode::error(std::string message, std::string suggestion) const {
  diagnostics->error(where(), std::move(message), std::move(suggestion));
}

void YamlNode::warning(std::string message, std::string suggestion) const {
  diagnostics->warning(where(), std::move(message), std::move(suggestion));
}

const YamlNode* YamlNode::value_of(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name->text == key) return value.get();
  }
  return nullptr;
}

namespace {

// ---- expressions that YAML split at their commas ------------------------------------------------

// Parentheses opened less those closed; quoted text counts as closed.
int open_parentheses(const YamlNode& node) {
  if (!node.is_scalar() || !node.plain) return 0;
  int depth = 0;
  for (const char c : node.text) depth += c == '(' ? 1 : (c == ')' ? -1 : 0);
  return depth;
}

YamlRef joined(const YamlRef& first, const std::string& text) {
  if (!is_comprehension(text)) {
    first->error("YAML splits '" + text + "' at the comma", "put it in quotes: \"" + text + "\"");
  }
  auto whole = std::make_shared<YamlNode>(*first);
  whole->text = text;
  return whole;
}

void rejoin_items(YamlNode& list) {
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
    whole.push_back(split ? joined(list.items[i], text) : list.items[i]);
    if (split) i = last;
  }
  list.items = std::move(whole);
}

// Joins values of a map that YAML split at their commas: the pieces behind the first look like keys
// without a value.
void rejoin_entries(YamlNode& map) {
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
    whole.emplace_back(key, split ? joined(value, text) : value);
    if (split) i = last;
  }
  map.entries = std::move(whole);
}

// YAML splits the unquoted flow list [ceil_div(N, BN)] at the comma inside the parentheses, and a
// flow map {t: min(a, b)} likewise. Recognises the pieces, says to quote them, and puts them
// together again so that the rest of the file can be read for its other mistakes.
void rejoin_split_expressions(YamlNode& flow) {
  if (flow.is_sequence()) rejoin_items(flow);
  if (flow.is_map()) rejoin_entries(flow);
}

// ---- the tree -----------------------------------------------------------------------------------

// Ends the reading of a file that is beyond a limit or makes no sense as a tree.
struct GiveUp {
  Position where;
  std::string message;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    auto nothing = std::make_shared<YamlNode>();
    nothing->diagnostics = &diagnostics;
    root_ = std::move(nothing);
  }

  YamlRef root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = made(YamlNode::Kind::kNull, mark);
    // An empty value ends where the text before it ends: yaml-cpp points at what comes next.
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
    node->diagnostics = &diagnostics_;
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
    diagnostics_.error(position(mark), "YAML tags are not supported",
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
    if (done.node->flow) rejoin_split_expressions(*done.node);
    if (done.node->is_map()) keep_first_of_each_key(*done.node);
    finish(std::move(done.node), done.anchor);
  }

  void keep_first_of_each_key(YamlNode& map) {
    std::map<std::string, int> lines;
    std::erase_if(map.entries, [&](const auto& entry) {
      const YamlNode& key = *entry.first;
      if (!key.is_scalar()) {
        key.error("a key must be plain text");
        return true;
      }
      if (key.text == "<<" && key.plain) {
        throw GiveUp{key.where(),
                     "merge keys are not supported: use 'extends' for a whole study, "
                     "or write the keys out"};
      }
      const auto [first, is_new] = lines.emplace(key.text, key.line);
      if (is_new) return false;
      key.error("duplicate key '" + key.text + "', first on line " + std::to_string(first->second));
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
  YamlRef root_;  // of an empty document: null
  std::size_t total_ = 0;
};

// ---- JSON ---------------------------------------------------------------------------------------

// Walks the file's text in step with the parser of JSON, which does not say where it is.
class JsonCursor {
 public:
  explicit JsonCursor(const std::string& text) : text_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
  }

  // Returns where the next token begins.
  std::size_t next() const { return std::min(text_.find_first_not_of(" \t\n\r,:", at_), end()); }

  // Passes the next token, which the parser has found to be whole.
  std::string_view pass() {
    const std::size_t begin = next();
    at_ = std::min(begin + 1, end());
    if (begin < end() && text_[begin] == '"') {
      while (at_ < end() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, end());
    } else if (begin < end() && std::string_view("[]{}").find(text_[begin]) == std::string::npos) {
      at_ = std::min(text_.find_first_of(" \t\n\r,:[]{}\"", begin), end());
    }
    return std::string_view(text_).substr(begin, at_ - begin);
  }

 private:
  std::size_t end() const { return text_.size(); }

  const std::string& text_;
  std::size_t at_ = 0;
};

// Builds the same tree of JSON as of the YAML that looks like it.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonEvents(Diagnostics& diagnostics, TreeBuilder& tree)
      : diagnostics_(diagnostics), cursor_(diagnostics.text()), tree_(tree) {}

  bool null() override { return done(&TreeBuilder::OnNull, pass(), 0); }
  bool boolean(bool) override { return word(); }
  bool number_integer(number_integer_t) override { return word(); }
  bool number_unsigned(number_unsigned_t) override { return word(); }
  bool number_float(number_float_t, const string_t&) override { return word(); }
  bool string(string_t& text) override {
    return done(&TreeBuilder::OnScalar, pass(), "!", 0, text);
  }
  bool key(string_t& text) override { return string(text); }
  bool binary(binary_t&) override { return false; }  // JSON has none

  bool start_object(std::size_t) override {
    return done(&TreeBuilder::OnMapStart, pass(), "?", 0, YAML::EmitterStyle::Flow);
  }
  bool end_object() override {
    pass();
    return done(&TreeBuilder::OnMapEnd);
  }
  bool start_array(std::size_t) override {
    return done(&TreeBuilder::OnSequenceStart, pass(), "?", 0, YAML::EmitterStyle::Flow);
  }
  bool end_array() override {
    pass();
    return done(&TreeBuilder::OnSequenceEnd);
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& why) override {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&why) != nullptr) {
      const std::size_t at = cursor_.next();
      diagnostics_.error(diagnostics_.position_of(at),
                         "the number " + std::string(cursor_.pass()) + " is too large");
      return false;
    }
    const std::string& text = diagnostics_.text();
    const std::size_t end = text.find_last_not_of(" \n\t");
    const bool is_torn = end == std::string::npos || position > end + 1;
    const std::string_view rest = std::string_view(text).substr(cursor_.next());
    const bool is_no_number = rest.starts_with("NaN") || rest.starts_with("nan") ||
                              rest.starts_with("Inf") || rest.starts_with("-");
    diagnostics_.error(diagnostics_.position_of(position > 0 ? position - 1 : 0),
                       is_torn ? "this is not JSON: the file ends too early" : "this is not JSON",
                       is_no_number ? "JSON has no NaN and no Infinity" : "");
    return false;
  }

 private:
  template <typename... Parameters, typename... Arguments>
  bool done(void (TreeBuilder::*event)(Parameters...), Arguments&&... arguments) {
    (tree_.*event)(std::forward<Arguments>(arguments)...);
    return true;
  }

  // Passes the next token and returns where it began.
  YAML::Mark pass() {
    const Position where = diagnostics_.position_of(cursor_.next());
    YAML::Mark mark;
    mark.line = where.line - 1;
    mark.column = where.column - 1;
    token_ = cursor_.pass();
    return mark;
  }

  bool word() {
    const YAML::Mark mark = pass();
    return done(&TreeBuilder::OnScalar, mark, "?", 0, std::string(token_));
  }

  Diagnostics& diagnostics_;
  JsonCursor cursor_;       // at the end of what the tree has
  std::string_view token_;  // the last one
  TreeBuilder& tree_;
};

// Builds the tree by `reads`; null with an error where the file is beyond a limit or
// cannot be read.
YamlRef built(Diagnostics& diagnostics, const std::function<bool(TreeBuilder&)>& reads) {
  if (diagnostics.text().size() > kMaxYamlBytes) {
    diagnostics.error(diagnostics.at(0, 0),
                      "the file is larger than " + std::to_string(kMaxYamlBytes >> 20) + " MiB");
    return nullptr;
  }
  TreeBuilder builder(diagnostics);
  try {
    return reads(builder) ? builder.root() : nullptr;
  } catch (const GiveUp& e) {
    diagnostics.error(e.where, e.message);
    return nullptr;
  }
}

bool read_yaml(Diagnostics& diagnostics, TreeBuilder& tree) {
  std::istringstream in(diagnostics.text());
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(tree);
    TreeBuilder rest(diagnostics);
    if (parser.HandleNextDocument(rest)) {
      rest.root()->error("a second document begins here; a study file holds one");
    }
    return true;
  } catch (const YAML::Exception& e) {
    const Position where = diagnostics.at(e.mark.line + 1, e.mark.column + 1);
    diagnostics.error(where, "this is not valid YAML: " + e.msg,
                      syntax_hint(diagnostics, where.line));
    return false;
  }
}

}  // namespace

YamlRef parse_yaml(Diagnostics& diagnostics) {
  return built(diagnostics, [&](TreeBuilder& tree) { return read_yaml(diagnostics, tree); });
}

YamlRef parse_json(Diagnostics& diagnostics) {
  return built(diagnostics, [&](TreeBuilder& tree) {
    JsonEvents events(diagnostics, tree);
    return nlohmann::json::sax_parse(diagnostics.text(), &events);
  });
}

}  // namespace tuner
