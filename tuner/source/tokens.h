#pragma once
// A CUDA source as words, numbers and signs, without comments: enough to find declarations in it.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

struct Token {
  enum class Kind { kWord, kNumber, kQuoted, kSign, kDirective, kComment };
  Kind kind = Kind::kSign;
  std::string_view text;  // of the source; of a directive: the whole line, continued ones too
  std::size_t at = 0;     // where it begins in the source
  // Whether it is in a branch of an #if that is not looked at: of several only one is, so that
  // braces are in balance. That is the first, but the next one where the first needs a name that
  // nobody defines.
  bool other_branch = false;

  bool is(std::string_view what) const { return text == what && kind != Kind::kQuoted; }
  bool is_word() const { return kind == Kind::kWord; }
};

enum class Comments { kLeaveOut, kKeep };

// "::", "<<<", ">>>" and "->" are one sign, ">>" and "<<" are two. A comment inside of a directive
// is part of it. The source must outlive the tokens.
// `defined` are macros that stand before it, for its #if.
std::vector<Token> tokens_of(std::string_view source, Comments comments = Comments::kLeaveOut,
                             const std::set<std::string_view>& defined = {});

// Whether `word` is one of `words`, which have blanks between them.
bool is_one_of(std::string_view words, std::string_view word);

// Name and rest of a directive: "define" and "X 4" of "#  define X 4".
std::string_view directive_name(const Token& directive);
std::string_view directive_rest(const Token& directive);

// Blanks for [from, to) of `text`; its line ends stay, and the directives among `tokens`.
void blank(std::string& text, std::size_t from, std::size_t to, const std::vector<Token>& tokens);

}  // namespace tuner
