#pragma once
// Words of commands that somebody copies into a shell.

#include <algorithm>
#include <string>
#include <string_view>

#include "tuner/base/text.h"

namespace tuner {

// In quotes where a shell would not take it as it is.
inline std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return is_word_part(c) || (static_cast<unsigned char>(c) & 0x80U) != 0 ||
           std::string_view("@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace tuner
