#pragma once
// Preprocessor directives of a text, by translation phases 1 to 4 as far as they matter for them:
// spliced lines, comments before and inside, the digraph and the trigraph of '#'.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// Lines continued by a backslash are one line to the preprocessor. With `generously`, blanks may
// stand behind the backslash, and it may be a trigraph: some compilers take it so.
std::string spliced(const std::string& text, bool generously = false);

struct Directive {
  std::string name;  // "include"; empty for '#' alone
  std::string rest;  // behind the name to the end of the line, comments as blanks
  std::string raw;   // the same with comments as they stand
  bool cut = false;  // a comment of it goes on behind the end of the text
};

// That begins at `at`, where a line begins or a comment has ended. The text is spliced.
std::optional<Directive> directive_at(std::string_view text, std::size_t at);

// All that any compiler could see in a text: also what stands in a comment, in a raw string or
// behind an #if that does not hold.
std::vector<Directive> possible_directives(const std::string& text);

}  // namespace tuner
