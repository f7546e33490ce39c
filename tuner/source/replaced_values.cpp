// Finds values that names get, and replaces them.

#include "tuner/source/replaced_values.h"

#include <algorithm>

#include "tuner/source/declarations.h"
#include "tuner/source/own_names.h"

namespace tuner {
namespace {

std::string_view text_of(Tokens tokens) {
  const char* const begin = tokens.front().text.data();
  const char* const end = tokens.back().text.data() + tokens.back().text.size();
  return {begin, static_cast<std::size_t>(end - begin)};
}

// Whether the declaration that `at` stands in says that its variables do not change.
bool is_constant(Tokens code, std::size_t at) {
  while (at-- > 0) {
    const Token& token = code[at];
    if (is_one_of("const constexpr enum", token.text)) return true;
    if (token.kind == Token::Kind::kDirective || is_one_of("; } ( <", token.text)) return false;
    if (token.is("{") && (at == 0 || code[at - 1].is(")"))) return false;
  }
  return false;
}

// The value of "X = 4" or "X{4}" at X; empty: there is none.
Tokens value_behind(Tokens code, std::size_t at) {
  const Token& next = code[at + 1];
  if (next.is("{")) return inside(code, at + 1);
  if (!next.is("=") || code[at + 2].is("=")) return {};
  std::size_t end = at + 2;
  while (end < code.size() && !is_one_of(", ; }", code[end].text)) {
    end = opens(code[end]) ? behind_closing(code, end) : end + 1;
  }
  return code.subspan(at + 2, std::min(end, code.size()) - at - 2);
}

bool may_be_declared(const Token& before) {
  if (before.is_word()) return !is_one_of("return namespace struct class enum union", before.text);
  return is_one_of(", {", before.text);
}

}  // namespace

std::vector<GivenValue> given_values(const std::vector<Token>& tokens) {
  std::vector<GivenValue> out;
  const Tokens code = tokens;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (const auto macro = definition_in(code[at])) {
      if (!macro->takes_arguments && !macro->text.empty())
        out.push_back({macro->name, macro->text, &code[at]});
      continue;
    }
    if (!code[at].is_word() || at == 0 || at + 2 >= code.size()) continue;
    if (!may_be_declared(code[at - 1])) continue;
    const Tokens value = value_behind(code, at);
    const bool is_one = !value.empty() && !value.front().is("{") &&
                        pieces_between_commas(value).size() == 1 && is_constant(code, at);
    if (is_one) out.push_back({code[at].text, text_of(value), &code[at]});
  }
  return out;
}

std::string with_values(const std::string& source,
                        const std::map<std::string, std::string, std::less<>>& values) {
  if (values.empty()) return source;
  const std::vector<Token> tokens = tokens_of(source);
  std::string out;
  std::size_t from = 0;
  for (const GivenValue& one : given_values(tokens)) {
    const auto value = values.find(one.name);
    if (value == values.end()) continue;
    const auto begin = static_cast<std::size_t>(one.text.data() - source.data());
    out.append(source, from, begin - from).append(value->second);
    out.append(static_cast<std::size_t>(std::ranges::count(one.text, '\n')), '\n');
    from = begin + one.text.size();
  }
  return out.append(source, from);
}

}  // namespace tuner
