// Finds the places of nodes that yaml-cpp does not tell.

#include <cctype>
#include <regex>

#include "tuner/study/yaml_tree.h"

namespace tuner {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

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
    while (at_ < raw_.size() && is_space(raw_[at_])) ++at_;
    return at_;
  }

  void pass_visible() {
    next_visible();
    const bool escaped = at_ < raw_.size() && ((quote_ == '"' && raw_[at_] == '\\') ||
                                               (quote_ == '\'' && raw_[at_] == '\''));
    at_ += escaped ? 2 : 1;
  }

  std::size_t at() const { return at_; }

 private:
  const std::string& raw_;
  std::size_t at_;
  char quote_ = 0;
};

}  // namespace

Position position_of(const Diagnostics& diagnostics, const YamlNode& node) {
  return diagnostics.at(node.line, node.column);
}

Position end_of_text_before(const Diagnostics& diagnostics, const Position& where) {
  const std::string& text = diagnostics.text();
  std::size_t at = diagnostics.offset_of(where.line, where.column);
  if (text.compare(at, 1, "~") == 0 || text.compare(at, 4, "null") == 0) return where;
  while (at > 0 && is_space(text[--at])) {
  }
  return diagnostics.position_of(at);
}

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

Position position_in(const Diagnostics& diagnostics, const YamlNode& scalar, std::size_t offset) {
  RawCursor cursor(diagnostics.text(), diagnostics.offset_of(scalar.line, scalar.column));
  for (std::size_t i = 0; i < offset && i < scalar.text.size(); ++i) {
    if (!is_space(scalar.text[i])) cursor.pass_visible();
  }
  if (offset < scalar.text.size()) return diagnostics.position_of(cursor.next_visible());
  return diagnostics.position_of(std::min(cursor.at(), diagnostics.text().size()));
}

}  // namespace tuner
