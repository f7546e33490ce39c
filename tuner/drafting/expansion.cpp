// Puts macros with parameters, and functions that only return something, in the place of their
// calls, token by token.

#include <algorithm>
#include <optional>

#include "tuner/drafting/found_source.h"
#include "tuner/source/own_names.h"

namespace tuner {
namespace {

constexpr int kDepth = 4;

// "ceil_div<int>(" and "f(": index of the parenthesis; 0 where `at` is no call.
std::size_t parenthesis_of_call(Tokens tokens, std::size_t at) {
  const bool is_template = at + 1 < tokens.size() && tokens[at + 1].is("<");
  const std::size_t next = is_template ? behind_angles(tokens, at + 1) : at + 1;
  return next < tokens.size() && tokens[next].is("(") ? next : 0;
}

Token sign(std::string_view text, std::size_t at) { return {Token::Kind::kSign, text, at, false}; }

std::vector<Token> with_arguments(const CallableText& callable,
                                  const std::vector<Tokens>& arguments, std::size_t at) {
  std::vector<Token> out;
  const bool wraps = !callable.is_macro;
  if (wraps) out.push_back(sign("(", at));
  for (const Token& token : callable.text) {
    const auto which = std::ranges::find(callable.parameters, token.text);
    if (which == callable.parameters.end()) {
      out.push_back(token);
      out.back().at = at;
      continue;
    }
    const Tokens argument =
        arguments[static_cast<std::size_t>(which - callable.parameters.begin())];
    const bool alone = argument.size() == 1 || !wraps;
    if (!alone) out.push_back(sign("(", at));
    out.insert(out.end(), argument.begin(), argument.end());
    if (!alone) out.push_back(sign(")", at));
  }
  if (wraps) out.push_back(sign(")", at));
  return out;
}

std::vector<std::string_view> names_of(Tokens parameters) {
  std::vector<std::string_view> names;
  for (const Tokens one : pieces_between_commas(parameters)) {
    const auto last =
        std::find_if(one.rbegin(), one.rend(), [](const Token& t) { return t.is_word(); });
    names.push_back(last == one.rend() ? std::string_view() : last->text);
  }
  return names;
}

// Writes what a function returns as one expression: its variables that are set once, and what it
// returns under conditions, in the place of their names. Empty: it does more.
std::vector<Token> value_of_body(Tokens body) {
  const Tokens first = part_before(body, ";");
  if (first.empty() || first.size() == body.size()) return {};
  const Tokens rest = body.subspan(first.size() + 1);
  const std::size_t at = first[0].at;
  if (first[0].is("return")) {
    return rest.empty() ? std::vector<Token>(first.begin() + 1, first.end()) : std::vector<Token>();
  }
  if (first[0].is("if") && first.size() > 1) {
    const std::size_t then = behind_closing(first, 1);
    if (then + 1 >= first.size() || !first[then].is("return")) return {};
    const bool has_else = !rest.empty() && rest[0].is("else");
    const std::vector<Token> other = value_of_body(has_else ? rest.subspan(1) : rest);
    if (other.empty()) return {};
    std::vector<Token> out(first.begin() + 1, first.begin() + static_cast<std::ptrdiff_t>(then));
    out.insert(out.end(), {sign("?", at), sign("(", at)});
    out.insert(out.end(), first.begin() + static_cast<std::ptrdiff_t>(then) + 1, first.end());
    out.insert(out.end(), {sign(")", at), sign(":", at), sign("(", at)});
    out.insert(out.end(), other.begin(), other.end());
    out.push_back(sign(")", at));
    return out;
  }
  const std::size_t equals = index_of(first, "=");
  if (equals < 2 || equals == first.size() || !first[equals - 1].is_word()) return {};
  if (pieces_between_commas(first).size() > 1) return {};
  const Tokens set = first.subspan(equals + 1);
  return with_arguments({{first[equals - 1].text}, value_of_body(rest)}, {set}, at);
}

}  // namespace

Callables macros_with_parameters(const std::vector<Token>& tokens) {
  Callables out;
  for (const Token& token : tokens) {
    const auto macro = definition_in(token);
    if (!macro || !macro->takes_arguments || token.other_branch) continue;
    const std::vector<Token> parameters = tokens_of(macro->parameters);
    out.try_emplace(std::string(macro->name),
                    CallableText{names_of(parameters), macro->tokens(), true});
  }
  return out;
}

void add_function(const Declaration& function, Callables& callables) {
  const Tokens body = function.body;
  if (function.kind != Declaration::Kind::kFunction || body.size() < 3) return;
  const std::vector<Token> value = value_of_body(body);
  if (value.empty()) return;
  callables.try_emplace(function.name, CallableText{names_of(function.parameters), value, false});
}

void add_members(const Declaration& type, const std::string& name, Callables& callables) {
  std::vector<std::string_view> parameters;
  for (const Token& token : type.all) {  // their names end there, or in a default value
    if (token.is("{")) break;
    if (!token.is("template")) continue;
    const auto from = static_cast<std::size_t>(&token - type.all.data());
    const std::size_t behind = behind_angles(type.all, from + 1);
    if (behind > 0) parameters = names_of(type.all.subspan(from + 2, behind - from - 3));
    break;
  }
  for (const Tokens member : member_declarations(type.body)) {
    const bool is_enum = member.front().is("enum") && mentions(member, "{");
    const bool is_shared = mentions(member, "static") || mentions(member, "constexpr");
    if (!is_enum && !is_shared) continue;
    const Tokens declared = is_enum ? items(member, index_of(member, "{")).empty()
                                          ? Tokens()
                                          : inside(member, index_of(member, "{"))
                                    : member;
    for (const Tokens piece : pieces_between_commas(declared)) {
      const Tokens before = part_before(piece, "="), value = part_behind(piece, "=");
      if (value.empty() || before.empty()) continue;
      callables.try_emplace(name + "::" + std::string(before.back().text),
                            CallableText{parameters, {value.begin(), value.end()}});
    }
  }
}

Callables index_macros(const Callables& all) {
  Callables out;
  for (const auto& [name, callable] : all) {
    const bool stands = callable.is_macro &&
                        (mentions(callable.text, "threadIdx") ||
                         mentions(callable.text, "blockIdx") || mentions(callable.text, "<<<"));
    if (stands) out[name] = callable;
  }
  return out;
}

namespace {

// "Tile<32, 8>::x", "Tile::x" or "T::x" at `at` of `tokens`; nothing where it is none that is
// known.
std::optional<std::vector<Token>> member_at(Tokens tokens, std::size_t& at,
                                            const Callables& callables) {
  const bool is_template = at + 1 < tokens.size() && tokens[at + 1].is("<");
  const std::size_t next = is_template ? behind_angles(tokens, at + 1) : at + 1;
  if (next == 0 || next + 1 >= tokens.size() || !tokens[next].is("::")) return std::nullopt;
  if (const auto type = callables.find(tokens[at].text);
      type != callables.end() && type->second.is_type) {
    std::vector<Token> out = type->second.text;
    out.insert(out.end(), {tokens[next], tokens[next + 1]});
    at = next + 1;
    return out;
  }
  const auto member =
      callables.find(std::string(tokens[at].text) + "::" + std::string(tokens[next + 1].text));
  if (member == callables.end()) return std::nullopt;
  const auto arguments = is_template ? pieces_between_commas(tokens.subspan(at + 2, next - at - 3))
                                     : std::vector<Tokens>();
  if (arguments.size() != member->second.parameters.size()) return std::nullopt;
  std::vector<Token> out = with_arguments(member->second, arguments, tokens[at].at);
  at = next + 1;
  return out;
}

}  // namespace

std::vector<Token> expanded(Tokens tokens, const Callables& callables, int depth) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].is_word() && depth < kDepth) {
      if (const auto text = member_at(tokens, at, callables)) {
        const auto inner = expanded(*text, callables, depth + 1);
        out.insert(out.end(), inner.begin(), inner.end());
        continue;
      }
    }
    const auto found = tokens[at].is_word() ? callables.find(tokens[at].text) : callables.end();
    const bool is_known = found != callables.end() && !found->second.is_type;
    const std::size_t open = !is_known || depth >= kDepth ? 0 : parenthesis_of_call(tokens, at);
    if (open == 0) {
      out.push_back(tokens[at]);
      continue;
    }
    const std::size_t behind = behind_closing(tokens, open);
    const auto arguments = items(tokens, open);
    if (arguments.size() != found->second.parameters.size()) {
      out.push_back(tokens[at]);
      continue;
    }
    const auto text = with_arguments(found->second, arguments, tokens[at].at);
    const auto inner = expanded(text, callables, depth + 1);
    out.insert(out.end(), inner.begin(), inner.end());
    at = behind - 1;
  }
  return out;
}

}  // namespace tuner
