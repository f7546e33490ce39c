// Puts macros with parameters, and functions that only return something, in the place of their
// calls, token by token.

#include <algorithm>

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
  if (!body.front().is("return") || !body.back().is(";")) return;
  const Tokens value = body.subspan(1, body.size() - 2);
  if (mentions(value, ";")) return;
  callables.try_emplace(
      function.name,
      CallableText{names_of(function.parameters), {value.begin(), value.end()}, false});
}

Callables index_macros(const Callables& all) {
  Callables out;
  for (const auto& [name, callable] : all) {
    const bool stands = callable.is_macro && (mentions(callable.text, "threadIdx") ||
                                              mentions(callable.text, "blockIdx"));
    if (stands) out[name] = callable;
  }
  return out;
}

std::vector<Token> expanded(Tokens tokens, const Callables& callables, int depth) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const auto found = tokens[at].is_word() ? callables.find(tokens[at].text) : callables.end();
    const std::size_t open =
        found == callables.end() || depth >= kDepth ? 0 : parenthesis_of_call(tokens, at);
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
