// Takes demangled names apart.

#include "tuner/source/demangled_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "tuner/base/text.h"
#include "tuner/source/parameters.h"

namespace tuner {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

namespace {

bool opens(char c) { return c == '<' || c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == '>' || c == ')' || c == ']' || c == '}'; }

// Pieces between commas that stand in no brackets.
std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  std::string piece;
  for (const char c : text) {
    if (opens(c)) ++depth;
    if (closes(c)) --depth;
    if (c == ',' && depth == 0) {
      out.emplace_back(trimmed(piece));
      piece.clear();
    } else {
      piece += c;
    }
  }
  if (!out.empty() || !trimmed(piece).empty()) out.emplace_back(trimmed(piece));
  return out;
}

// Finds where the bracket that is closed at `end` opens.
std::size_t opening_of(std::string_view text, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end + 1; i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && --depth == 0) return i;
  }
  return 0;
}

}  // namespace

NameParts parts_of(std::string_view text) {
  NameParts out;
  text = trimmed(text);
  if (text.ends_with(')')) {
    const std::size_t open = opening_of(text, text.size() - 1);
    out.parameters = pieces(text.substr(open + 1, text.size() - open - 2));
    out.has_parameters = true;
    text = trimmed(text.substr(0, open));
  }
  if (text.ends_with('>')) {
    const std::size_t open = opening_of(text, text.size() - 1);
    out.given = pieces(text.substr(open + 1, text.size() - open - 2));
    text = trimmed(text.substr(0, open));
  }
  const auto is_of_name = [](char c) { return is_word_part(c) || c == '{' || c == '}'; };
  std::size_t begin = text.size();
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  out.name = text.substr(begin);
  return out;
}

std::string pointee_of(std::string parameter) {
  for (const char* word : {"const", "volatile", "__restrict__", "__restrict"}) {
    parameter = replaced(std::move(parameter), word, "");
  }
  parameter = trimmed(parameter);
  if (!parameter.ends_with('*')) return {};
  parameter.pop_back();
  const auto element = element_type(std::string(trimmed(parameter)));
  return element ? element->name : "";
}

std::string plain_argument(std::string text) {
  if (text.starts_with('(')) text.erase(0, text.find(')') + 1);
  std::erase(text, ' ');
  if (text == "true") return "1";
  if (text == "false") return "0";
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789-ulUL") == text.npos &&
                         text.find_first_of("0123456789") != text.npos;
  if (is_number)
    std::erase_if(
        text, [](char c) { return std::string_view("ulUL").find(c) != std::string_view::npos; });
  return text;
}

}  // namespace tuner
