// Finds the kernels of a source that can be left out.

#include "tuner/source/wanted_kernels.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "tuner/source/declarations.h"

namespace tuner {
namespace {

// "f" of "n::f<4>".
std::string_view last_name(std::string_view entry) {
  entry = entry.substr(0, entry.find('<'));
  const std::size_t at = entry.rfind("::");
  return at == entry.npos ? entry : entry.substr(at + 2);
}

// "extern "C" __global__ void __launch_bounds__(...)": no other word, which might be a macro.
bool is_plain_kernel(const Declaration& one) {
  if (one.kind != Declaration::Kind::kFunction) return false;
  bool is_kernel = false;
  for (std::size_t at = 0; at < one.head.size();) {
    const Token& token = one.head[at++];
    is_kernel = is_kernel || token.is("__global__");
    if (token.is("__launch_bounds__") && at < one.head.size() && one.head[at].is("(")) {
      at = behind_closing(one.head, at);
    } else if (!token.is("__global__") && !token.is("extern") && !token.is("void") &&
               token.kind != Token::Kind::kQuoted) {
      return false;
    }
  }
  return is_kernel;
}

// A directive's text, or that of a quotation, may become code.
bool may_name(const Token& token, std::string_view kernel) {
  if (token.is_word()) return token.text == kernel;
  if (token.kind != Token::Kind::kDirective && token.kind != Token::Kind::kQuoted) return false;
  const std::vector<Token> words = tokens_of(token.text.substr(1));
  return std::ranges::any_of(words, [&](const Token& word) { return may_name(word, kernel); });
}

struct Part {
  std::size_t from = 0, to = 0;
};

// A pragma of a loop goes with it; other directives are about what follows, too.
bool has_directives(const std::vector<Token>& tokens, Part part) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return token.kind == Token::Kind::kDirective && token.at >= part.from && token.at < part.to &&
           directive_name(token) != "pragma";
  });
}

bool makes_names(const std::vector<Token>& tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind == Token::Kind::kDirective && token.text.find("##") != token.text.npos;
  });
}

// An entry that is not there is perhaps a macro, and any kernel may be meant.
bool are_all_there(const std::set<std::string_view>& wanted,
                   const std::vector<Declaration>& declarations) {
  return std::ranges::all_of(wanted, [&](std::string_view name) {
    return std::ranges::any_of(declarations, [name](const Declaration& one) {
      return one.kind == Declaration::Kind::kFunction && last_name(one.name) == name;
    });
  });
}

}  // namespace

std::string wanted_kernels(const std::string& source, const std::vector<std::string>& entries,
                           const std::set<std::string, std::less<>>& words_elsewhere) {
  std::set<std::string_view> wanted;
  for (const std::string& entry : entries) {
    if (entry.find('{') != entry.npos) return source;
    wanted.insert(last_name(entry));
  }
  const std::vector<Token> tokens = tokens_of(source);
  const std::vector<Token> code = code_of(tokens);
  const std::vector<Declaration> declarations = declarations_of(code);
  if (makes_names(tokens) || !are_all_there(wanted, declarations)) return source;
  std::string out = source;
  for (const Declaration& one : declarations) {
    const std::string_view name = last_name(one.name);
    if (!is_plain_kernel(one) || wanted.contains(name)) continue;
    if (words_elsewhere.contains(name)) continue;
    const Token& last = one.all.back();
    const Part part{one.all.front().at, last.at + last.text.size()};
    const auto uses =
        std::ranges::count_if(tokens, [name](const Token& token) { return may_name(token, name); });
    if (uses == 1 && !has_directives(tokens, part)) blank(out, part.from, part.to, {});
  }
  return out;
}

}  // namespace tuner
