#pragma once
// Colours for people at a terminal. Files and pipes get none, unless the user insists.

#include <cstdio>
#include <string>
#include <string_view>

namespace tuner {

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

  // The text with its first word "warning:" in colour, where it begins with that.
  std::string note(std::string_view text) const;

 private:
  std::string in(int code, std::string_view text) const;

  bool on_ = false;
};

}  // namespace tuner
