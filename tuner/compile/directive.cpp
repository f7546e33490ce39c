// Finds everything in a source that may be a directive.

#include "tuner/compile/directive.h"

#include <algorithm>
#include <cctype>

namespace tuner {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Walks over a directive.
class Walk {
 public:
  Walk(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  void skip_blanks() {
    for (;;) {
      if (at_ < text_.size() && is_blank(text_[at_])) {
        ++at_;
      } else if (!skip_comment()) {
        return;
      }
    }
  }

  bool skip_hash() {
    for (const std::string_view spelling : {"#", "%:", "?\?="}) {
      if (text_.substr(at_, spelling.size()) != spelling) continue;
      at_ += spelling.size();
      return true;
    }
    return false;
  }

  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  // To the end of the line, which no comment ends.
  void take_rest(Directive& into) {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const std::size_t start = at_;
      if (skip_comment()) {
        into.rest += ' ';
      } else {
        take_character_or_literal(into.rest);
      }
      into.raw += text_.substr(start, at_ - start);
    }
    into.cut = cut_;
  }

 private:
  // A comment marker in a literal is none.
  void take_character_or_literal(std::string& rest) {
    const char first = text_[at_];
    const std::size_t start = at_++;
    if (first == '"' || first == '\'') {
      const std::size_t end = text_.find_first_of(first == '"' ? "\"\n" : "'\n", at_);
      if (end != std::string_view::npos && text_[end] == first) at_ = end + 1;
    }
    rest += text_.substr(start, at_ - start);
  }

  bool skip_comment() {
    if (text_.substr(at_, 2) != "/*") return false;
    const std::size_t end = text_.find("*/", at_ + 2);
    cut_ = end == std::string_view::npos;
    at_ = cut_ ? text_.size() : end + 2;
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  bool cut_ = false;
};

void add_directives(const std::string& text, std::vector<Directive>& out) {
  const auto add = [&](std::size_t at) {
    auto found = directive_at(text, at);
    if (found) out.push_back(std::move(*found));
  };
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // of UTF-8
  add(text.starts_with(kMark) ? kMark.size() : 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_ends = text[i] == '\n' || text[i] == '\r';
    const bool comment_ends = i > 0 && text[i] == '/' && text[i - 1] == '*';
    if (line_ends || comment_ends) add(i + 1);
  }
}

// Behind the end of the line whose end `at` hides: a backslash, with blanks behind it if these are
// allowed; 0 when it hides none.
std::size_t behind_splice(const std::string& text, std::size_t at, bool generously) {
  if (generously && text.compare(at, 3, "?\?/") == 0) {
    at += 3;
  } else if (text[at] == '\\') {
    ++at;
  } else {
    return 0;
  }
  while (generously && at < text.size() && is_blank(text[at])) ++at;
  if (text.compare(at, 1, "\n") == 0) return at + 1;
  return text.compare(at, 2, "\r\n") == 0 ? at + 2 : 0;
}

}  // namespace

std::string spliced(const std::string& text, bool generously) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t behind = behind_splice(text, i, generously); behind > 0) {
      i = behind;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::optional<Directive> directive_at(std::string_view text, std::size_t at) {
  Walk walk(text, at);
  walk.skip_blanks();
  if (!walk.skip_hash()) return std::nullopt;
  walk.skip_blanks();
  Directive out;
  out.name = walk.word();
  walk.take_rest(out);
  return out;
}

std::vector<Directive> possible_directives(const std::string& text) {
  std::vector<Directive> out;
  const std::string whole = spliced(text);
  add_directives(whole, out);
  const std::string shorter = spliced(text, true);
  if (shorter != whole) add_directives(shorter, out);
  return out;
}

}  // namespace tuner
