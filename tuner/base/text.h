#pragma once
// Words of ASCII text, whatever the locale's language: looked at, joined, quoted for YAML and
// shells.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// Whether the character may stand in a C identifier.
constexpr bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether it separates words in a line.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

// The word that begins at `at`; empty where none does.
constexpr std::string_view word_at(std::string_view text, std::size_t at = 0) {
  std::size_t end = at;
  while (end < text.size() && is_word_part(text[end])) ++end;
  return text.substr(at, end - at);
}

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Returns the text without `blanks` around it; its end where there is nothing else.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Shortens to at most so many bytes, without a part of a character of UTF-8; " ..." stands for the
// rest.
inline std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most) + " ...";
}

// "1 trial", "2 trials".
inline std::string count_text(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "a, b, c"; with "and" before the last: "a, b and c".
inline std::string listed(const std::vector<std::string>& words,
                          const std::string& before_last = "") {
  const std::string last = before_last.empty() ? ", " : " " + before_last + " ";
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? last : ", ";
    out += words[i];
  }
  return out;
}

// Puts text in double quotes, so that YAML can only read it as this text.
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

// Quotes a word that a shell would not take as it is.
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

// Whether the text comes before another one where runs of digits are compared as numbers: "M75"
// before "M725", "sm_90a" before "sm_100".
inline bool comes_before(std::string_view text, std::string_view other) {
  const auto is_digit = [](std::string_view in, std::size_t at) {
    return at < in.size() && in[at] >= '0' && in[at] <= '9';
  };
  std::size_t i = 0, k = 0;
  while (i < text.size() && k < other.size()) {
    if (!is_digit(text, i) || !is_digit(other, k)) {
      if (text[i] != other[k]) return text[i] < other[k];
      ++i, ++k;
      continue;
    }
    const auto number_at = [&](std::string_view in, std::size_t& at) {
      const std::size_t first = std::min(in.find_first_not_of('0', at), in.size());
      for (at = first; is_digit(in, at);) ++at;
      return in.substr(first, at - first);
    };
    const std::string_view one = number_at(text, i), two = number_at(other, k);
    if (one.size() != two.size()) return one.size() < two.size();
    if (one != two) return one < two;
  }
  if (i == text.size() && k == other.size()) return text < other;  // "01" and "1" are two
  return i == text.size();
}

// `text` with every `what` in it replaced.
inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// A source without the mark that some editors begin a file with: compilers take it at the head of a
// file only, and NVRTC nowhere.
inline std::string without_byte_order_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace tuner
