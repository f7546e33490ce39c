// Makes text safe for a terminal, and colours it.

#include "tuner/base/terminal_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
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

// ---- lines --------------------------------------------------------------------------------------

namespace {

// Characters that a terminal shows of a text, colours left out.
std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = std::min(text.find('m', at), text.size());
    } else if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) {
      ++width;
    }
  }
  return width;
}

void add_wrapped(std::string_view line, std::size_t columns, std::string& out) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::size_t used = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t word = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::size_t width = shown_width(line.substr(word, end - word));
    if (at > 0 && used > indent && used + (word - at) + width > columns) {
      out += "\n" + std::string(indent + 4, ' ');
      used = indent + 4;
    } else {
      out += line.substr(at, word - at);
      used += word - at;
    }
    out += line.substr(word, end - word);
    used += width;
    at = end;
  }
}

}  // namespace

std::size_t terminal_columns(std::FILE* out) {
  winsize size{};
  if (::isatty(::fileno(out)) == 0 || ::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0) return 0;
  constexpr std::size_t kLeast = 20;  // what is narrower, or does not say, is as wide as most
  return size.ws_col < kLeast ? 80 : size.ws_col;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  if (columns == 0) return std::string(text);
  const auto behind_blanks = [&](std::size_t at) {
    return text.substr(std::min(text.find_first_not_of(' ', at), text.size()));
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const bool has_caret = end < text.size() && behind_blanks(end + 1).starts_with('^');
    if (has_caret || behind_blanks(at).starts_with("tuner ")) {
      out += line;
    } else {
      add_wrapped(line, columns, out);
    }
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

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
    : on_(choice == "always" || (choice == "auto" && wanted_by_itself(out))),
      columns_(terminal_columns(out)) {}

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
