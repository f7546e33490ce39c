// Makes text safe for a terminal, and colours it.

#include "tuner/base/terminal_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tuner {
namespace {

// Length of the UTF-8 character at `at`, and the character; length 1 and U+0000 for a byte that
// begins none.
struct Character {
  std::size_t length = 1;
  std::uint32_t code = 0;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {1, first};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(at + i) & 0x3FU);
  }
  return {length, code};
}

bool is_harmless(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool turns = code == 0x061C || code == 0x200E || code == 0x200F || code == 0x2028 ||
                     code == 0x2029 || (code >= 0x202A && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069);
  return !control && !turns;
}

std::string cleaned(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    if (is_harmless(one.code) || (keep_lines && one.code == '\n')) {
      out += text.substr(at, one.length);
    } else {
      out += ' ';
    }
    at += one.length;
  }
  return out;
}

}  // namespace

std::string for_terminal(std::string_view text) { return cleaned(text, false); }
std::string lines_for_terminal(std::string_view text) { return cleaned(text, true); }

// ---- colours ------------------------------------------------------------------------------------

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool wanted_by_itself(std::FILE* out) {
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view forced = variable("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return ::isatty(::fileno(out)) != 0 && variable("TERM") != "dumb";
}

}  // namespace

Colours::Colours(std::string_view choice, std::FILE* out)
    : on_(choice == "always" || (choice == "auto" && wanted_by_itself(out))) {}

std::string Colours::in(int code, std::string_view text) const {
  if (!on_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string Colours::note(std::string_view text) const {
  constexpr std::string_view kWarning = "warning:";
  const std::size_t at = std::min(text.find_first_not_of(' '), text.size());
  if (!text.substr(at).starts_with(kWarning)) return std::string(text);
  return std::string(text.substr(0, at)) + doubtful(kWarning) +
         std::string(text.substr(at + kWarning.size()));
}

}  // namespace tuner
