#pragma once
// Text that is quoted for YAML and JSON.

#include <string>
#include <string_view>

namespace tuner {

// In double quotes: YAML can only read it as this text.
inline std::string quoted(const std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (code < ' ' || code == 0x7f) {
      out += std::string("\\x") + kHex[code >> 4] + kHex[code & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace tuner
