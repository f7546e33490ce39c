#pragma once
// A CUDA source as words, numbers and signs, without comments: enough to find declarations in it.

#include <cstddef>
#include <string_view>
#include <vector>

namespace tuner {

struct Token {
  enum class Kind { kWord, kNumber, kQuoted, kSign, kDirective };
  Kind kind = Kind::kSign;
  std::string_view text;  // of the source; of a directive: the whole line, continued ones too
  std::size_t at = 0;     // where it begins in the source
  // In an #else branch, or behind #if 0: of several branches only the first is looked at, so that
  // braces are in balance.
  bool other_branch = false;

  bool is(std::string_view what) const { return text == what && kind != Kind::kQuoted; }
  bool is_word() const { return kind == Kind::kWord; }
};

// "::", "<<<", ">>>" and "->" are one sign, ">>" and "<<" are two. The source
// must outlive the tokens.
std::vector<Token> tokens_of(std::string_view source);

// Name and rest of a directive: "define" and "X 4" of "#  define X 4".
std::string_view directive_name(const Token& directive);
std::string_view directive_rest(const Token& directive);

}  // namespace tuner
