#pragma once
// Text of studies, recordings and drivers made safe to show (files keep it as it is), and colours
// for people at a terminal (files and pipes get none, unless the user insists).

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace tuner {

// Puts a blank in place of every character that a terminal would obey or that would tear a table
// apart: control characters (those of one byte, and U+0080 to U+009F), marks that turn the
// direction of writing, and bytes that are no UTF-8. Nothing else changes.
std::string for_terminal(std::string_view text);

// Does the same as for_terminal(), but keeps line breaks.
std::string lines_for_terminal(std::string_view text);

// Columns of the terminal that `out` is; 0: it is none.
std::size_t terminal_columns(std::FILE* out);

// Lines that are longer than `columns` broken at blanks, with the rest indented a little more than
// the line; a longer word stays whole, and so do a command, which may be copied, and a line that a
// caret points at. 0: as it is. Colours take no room.
std::string wrapped(std::string_view text, std::size_t columns);

// ---- colours ------------------------------------------------------------------------------------

class Colours {
 public:
  Colours() = default;  // none
  // `choice` as --color takes it: "always", "never", or "auto": where `out` is a terminal that is
  // not dumb, NO_COLOR is not set (https://no-color.org) and CLICOLOR_FORCE does not say otherwise.
  Colours(std::string_view choice, std::FILE* out);

  // Text of one line in the colour of ...
  std::string good(std::string_view text) const { return in(32, text); }
  std::string bad(std::string_view text) const { return in(31, text); }
  std::string doubtful(std::string_view text) const { return in(33, text); }

  // Wraps text at the terminal's width, if there is a terminal: see wrapped().
  std::string lines(std::string_view text) const { return wrapped(text, columns_); }

  // The text with its first word "warning:" in colour, where it begins with that.
  std::string note(std::string_view text) const;

 private:
  std::string in(int code, std::string_view text) const;

  bool on_ = false;
  std::size_t columns_ = 0;  // 0: no terminal
};

}  // namespace tuner
