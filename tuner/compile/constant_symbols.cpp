// Finds __constant__ variables that a study should set.

#include "tuner/compile/constant_symbols.h"

#include <algorithm>

#include "tuner/base/text.h"

namespace tuner {
namespace {

// The text with comments, literals and directives as blanks, line breaks kept.
class Blanked {
 public:
  explicit Blanked(std::string_view text) : text_(text) {
    while (at_ < text_.size()) step();
  }
  std::string take() { return std::move(out_); }

 private:
  bool sees(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void blank() {
    out_ += text_[at_] == '\n' ? '\n' : ' ';
    ++at_;
  }
  void blank_through(std::string_view end) {
    while (at_ < text_.size() && !sees(end)) blank();
    for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) blank();
  }
  // To the end of the line, and of those that continue it.
  void blank_line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const bool continued = sees("\\\n");
      blank();
      if (continued) blank();
    }
  }
  void blank_literal(char quote) {
    blank();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      const bool escape = text_[at_] == '\\';
      blank();
      if (escape && at_ < text_.size()) blank();
    }
    if (at_ < text_.size()) blank();
  }
  void step() {
    const char c = text_[at_];
    if (sees("/*")) return blank_through("*/");
    if (sees("//") || (c == '#' && fresh_line_)) return blank_line();
    // A quote between digits separates them.
    if (c == '"' || (c == '\'' && (at_ == 0 || !is_word_part(text_[at_ - 1]))))
      return blank_literal(c);
    if (c == '\n') {
      fresh_line_ = true;
    } else if (c != ' ' && c != '\t') {
      fresh_line_ = false;
    }
    out_ += c;
    ++at_;
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
  bool fresh_line_ = true;
};

// What is behind the bracket that closes the one at `at`.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (std::string_view("([{").find(text[at]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[at]) != std::string_view::npos && --depth == 0) {
      return at + 1;
    }
  }
  return at;
}

std::size_t behind_angles(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size() && text[at] != ';'; ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && --depth == 0) return at + 1;
  }
  return at;
}

// Reads one declaration, from behind its __constant__. The name of a declarator is the last word
// before the comma, bracket or semicolon that ends it.
class Declaration {
 public:
  Declaration(std::string_view text, std::size_t at, std::vector<ConstantSymbol>& out)
      : text_(text), out_(out) {
    while (at < text_.size() && text_[at] != ';') at = step(at);
    end_declarator();
  }

 private:
  std::size_t step(std::size_t at) {
    const char c = text_[at];
    if (c == ',') end_declarator();
    if (c == '=') has_value_ = true;
    if (c == '=' || c == '{') initialised_ = true;
    if (c == '(' || c == '[' || c == '{') return behind_brackets(text_, at);
    if (c == '<' && !has_value_) return behind_angles(text_, at);
    if (!is_word_part(c)) return at + 1;
    std::size_t end = at;
    while (end < text_.size() && is_word_part(text_[end])) ++end;
    // Words behind an '=' are values; behind a '}' they name what the structure was defined for.
    if (!has_value_) {
      name_ = text_.substr(at, end - at);
      place_ = at;
      initialised_ = false;
    }
    return end;
  }

  void end_declarator() {
    const bool known = std::any_of(out_.begin(), out_.end(),
                                   [&](const ConstantSymbol& one) { return one.name == name_; });
    if (!initialised_ && !name_.empty() && !known) {
      const auto lines = std::count(text_.begin(), text_.begin() + static_cast<long>(place_), '\n');
      out_.push_back({std::string(name_), static_cast<int>(lines) + 1});
    }
    name_ = {};
    initialised_ = has_value_ = false;
  }

  std::string_view text_;
  std::vector<ConstantSymbol>& out_;
  std::string_view name_;
  std::size_t place_ = 0;
  bool initialised_ = false;
  bool has_value_ = false;  // behind an '='
};

}  // namespace

std::vector<ConstantSymbol> unset_constants(std::string_view source) {
  constexpr std::string_view kKeyword = "__constant__";
  const std::string text = Blanked(source).take();
  std::vector<ConstantSymbol> out;
  for (std::size_t at = text.find(kKeyword); at != std::string::npos;
       at = text.find(kKeyword, at + 1)) {
    const std::size_t end = at + kKeyword.size();
    if ((at > 0 && is_word_part(text[at - 1])) || (end < text.size() && is_word_part(text[end])))
      continue;
    Declaration(text, end, out);
  }
  return out;
}

}  // namespace tuner
