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

// The value of "X = 4", "X{4}" or "X(4)" at X; empty: there is none.
Tokens value_behind(Tokens code, std::size_t at) {
  const Token& next = code[at + 1];
  if (next.is("{")) return inside(code, at + 1);
  if (next.is("(") && code[at + 2].kind == Token::Kind::kNumber) return inside(code, at + 1);
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

namespace {

// Whether a loop holds no other one. `at` is its "for".
bool is_innermost(Tokens body, std::size_t at) {
  const std::size_t behind_head = behind_closing(body, at + 1);
  if (behind_head >= body.size()) return false;
  const std::size_t end = body[behind_head].is("{") ? behind_closing(body, behind_head)
                                                    : index_of(body, ";", behind_head);
  const Tokens inner = body.subspan(behind_head, std::min(end, body.size()) - behind_head);
  return !mentions(inner, "for") && !mentions(inner, "while") && !mentions(inner, "do");
}

// "4" of "#pragma unroll 4"; empty for another directive.
std::string_view unroll_factor(const Token& token) {
  if (token.kind != Token::Kind::kDirective || directive_name(token) != "pragma") return {};
  const std::vector<Token> words = tokens_of(directive_rest(token));
  const bool is_one =
      words.size() == 2 && words[0].is("unroll") && words[1].kind == Token::Kind::kNumber;
  return is_one ? words[1].text : std::string_view();
}

// The loops of a function of device code.
void add_loops(const Declaration& one, const std::vector<Token>& tokens,
               std::vector<UnrollableLoop>& out) {
  UnrollableLoop loop{last_name(one.name), {}, one.all.front().at};
  const auto token_at = [&](std::size_t at) {
    return std::ranges::lower_bound(tokens, at, {}, &Token::at);
  };
  for (std::size_t at = 0; at + 1 < one.body.size(); ++at) {
    if (!one.body[at].is("for") || !one.body[at + 1].is("(")) continue;
    const Token& before = *(token_at(one.body[at].at) - 1);
    loop.factor = unroll_factor(before);
    loop.at = one.body[at].at;
    if (!loop.factor.empty()) {
      loop.at = before.at + static_cast<std::size_t>(loop.factor.data() - before.text.data());
      out.push_back(loop);
    } else if (before.kind != Token::Kind::kDirective && is_innermost(one.body, at)) {
      out.push_back(loop);
    }
  }
}

}  // namespace

std::vector<UnrollableLoop> unrollable_loops(const std::vector<Token>& tokens) {
  const std::vector<Token> code = code_of(tokens);
  std::vector<UnrollableLoop> out;
  for (const Declaration& one : declarations_of(code)) {
    const bool is_device = mentions(one.head, "__global__") || mentions(one.head, "__device__");
    if (one.kind == Declaration::Kind::kFunction && is_device) add_loops(one, tokens, out);
  }
  return out;
}

namespace {

struct Edit {
  std::size_t at = 0, length = 0;
  std::string text;
};

// A pragma sees no macros, where the host's preprocessor has read it first, but enumerators.
void unroll(const std::vector<Token>& tokens, const std::string& value, std::vector<Edit>& edits) {
  std::size_t function = std::string::npos;
  std::string name;
  for (const UnrollableLoop& one : unrollable_loops(tokens)) {
    if (one.begin != function) {
      function = one.begin;
      name = "tuner_unroll_" + std::to_string(function);
      edits.push_back({function, 0, "enum { " + name + " = " + value + " }; "});
    }
    const std::string factor(one.factor);
    edits.push_back(factor.empty() ? Edit{one.at, 0, "_Pragma(\"unroll " + name + "\") "}
                                   : Edit{one.at, factor.size(),
                                          "(" + name + " ? " + name + " : " + factor + ")"});
  }
}

}  // namespace

std::string with_values(const std::string& source,
                        const std::map<std::string, std::string, std::less<>>& values) {
  if (values.empty()) return source;
  const std::vector<Token> tokens = tokens_of(source);
  std::vector<Edit> edits;
  bool is_unroll_given = false;
  for (const GivenValue& one : given_values(tokens)) {
    is_unroll_given |= one.name == kUnroll;
    const auto value = values.find(one.name);
    if (value == values.end()) continue;
    const auto lines = static_cast<std::size_t>(std::ranges::count(one.text, '\n'));
    edits.push_back({static_cast<std::size_t>(one.text.data() - source.data()), one.text.size(),
                     value->second + std::string(lines, '\n')});
  }
  const auto factor = values.find(kUnroll);
  if (factor != values.end() && !is_unroll_given) unroll(tokens, factor->second, edits);
  std::ranges::stable_sort(edits, {}, &Edit::at);
  std::string out;
  std::size_t from = 0;
  for (const Edit& one : edits) {
    out.append(source, from, one.at - from).append(one.text);
    from = one.at + one.length;
  }
  return out.append(source, from);
}

}  // namespace tuner
