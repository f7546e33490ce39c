// Leaves out the branches that an "if" over constants does not take.

#include "tuner/drafting/live_code.h"

#include <algorithm>
#include <functional>
#include <map>

#include "tuner/drafting/found_source.h"

namespace tuner {
namespace {

constexpr int kMostDepth = 8;  // from a constant to its number

// Evaluates what is made of constants. An enumerator, "Api::CUDA", is a number of its own.
std::optional<std::int64_t> constant(const FoundSource& source, Tokens tokens, int depth = 0) {
  std::vector<Token> words;
  std::map<std::string, std::int64_t> enumerators;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (at + 2 < tokens.size() && tokens[at + 1].is("::")) {
      const std::string name(tokens[at + 2].text);
      enumerators[name] = static_cast<std::int64_t>(std::hash<std::string>()(name) >> 16);
      ++at;
    } else {
      words.push_back(tokens[at]);
    }
  }
  const auto text =
      study_expression(words, [&](const std::string& name) -> std::optional<std::string> {
        if (enumerators.contains(name)) return std::to_string(enumerators[name]);
        const auto number = source.numbers.find(name);
        if (number != source.numbers.end()) return std::to_string(number->second);
        const auto set = source.computed.find(name);
        const auto value = set != source.computed.end() && depth < kMostDepth
                               ? constant(source, set->second, depth + 1)
                               : std::nullopt;
        return value ? std::optional(std::to_string(*value)) : std::nullopt;
      });
  return text ? constant_value(*text) : std::nullopt;
}

}  // namespace

std::size_t behind_statement(Tokens code, std::size_t at) {
  if (at >= code.size()) return code.size();
  if (code[at].is("{")) return behind_closing(code, at);
  if (is_one_of("if for while", code[at].text)) {
    at = behind_statement(code, behind_closing(code, index_of(code, "(", at)));
    return at < code.size() && code[at].is("else") ? behind_statement(code, at + 1) : at;
  }
  while (at < code.size() && !code[at].is(";")) {
    at = opens(code[at]) ? behind_closing(code, at) : at + 1;
  }
  return std::min(at + 1, code.size());
}

std::string live_code(std::string text) {
  const std::string as_it_is = text;
  const FoundSource source(as_it_is);
  const Tokens code = source.code;
  const auto leave_out = [&](std::size_t from, std::size_t to) {
    if (from >= to) return;
    blank(text, code[from].at, code[to - 1].at + code[to - 1].text.size(), source.tokens);
  };
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    const std::size_t open = at + (code[at + 1].is("constexpr") ? 2 : 1);
    if (!code[at].is("if") || !code[open].is("(")) continue;
    const auto holds = constant(source, inside(code, open));
    if (!holds) continue;
    const std::size_t then = behind_closing(code, open), end = behind_statement(code, then);
    const bool has_else = end < code.size() && code[end].is("else");
    if (*holds != 0) {
      leave_out(at, then);
      if (has_else) leave_out(end, behind_statement(code, end + 1));
    } else {
      leave_out(at, has_else ? end + 1 : end);
    }
  }
  return text;
}

}  // namespace tuner
