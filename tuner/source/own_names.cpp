// Finds #defines and what the conditions around them ask for.

#include "tuner/source/own_names.h"

#include <algorithm>
#include <array>
#include <map>

namespace tuner {
namespace {

// The names that the conditions around a place ask for. A name is counted as often as it is asked
// for, so that it costs nothing to leave a level.
class Conditions {
 public:
  using Names = std::set<std::string, std::less<>>;

  explicit Conditions(const Names& given) : given_(given) {}

  void follow(const Token& directive) {
    const std::string_view name = directive_name(directive), rest = directive_rest(directive);
    const bool is_if = name == "if" || name == "elif";
    if (name == "if" || name == "ifdef" || name == "ifndef") levels_.emplace_back();
    if (name == "endif" && !levels_.empty()) leave();
    if (levels_.empty() || !(is_if || name == "ifdef" || name == "ifndef")) return;
    bool only_whether = !is_if;
    for (const Token& token : tokens_of(rest)) {
      if (token.is("defined")) only_whether = true;
      if (token.is("defined") || !token.is_word()) continue;
      levels_.back().push_back({token.text, !only_whether});
      count(levels_.back().back(), 1);
      only_whether = !is_if;
    }
  }

  bool asks_for(std::string_view name) const { return asked_.contains(name) || given_open_ > 0; }
  // For its value, not only whether it is defined.
  bool asks_for_value(std::string_view name) const { return compared_.contains(name); }

 private:
  struct Asked {
    std::string_view name;
    bool value = false;
  };

  void leave() {
    for (const Asked& one : levels_.back()) count(one, -1);
    levels_.pop_back();
  }
  void count(const Asked& one, int step) {
    if (given_.contains(one.name)) given_open_ += step;
    if ((asked_[one.name] += step) == 0) asked_.erase(one.name);
    if (one.value && (compared_[one.name] += step) == 0) compared_.erase(one.name);
  }

  const Names& given_;
  std::vector<std::vector<Asked>> levels_;
  std::map<std::string_view, int> asked_;
  std::map<std::string_view, int> compared_;
  int given_open_ = 0;
};

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t("));
}

}  // namespace

std::vector<MacroDefinition> macro_definitions(std::span<const Token> tokens,
                                               const std::set<std::string, std::less<>>& given) {
  std::vector<MacroDefinition> out;
  Conditions conditions(given);
  std::set<std::string_view> undefined;  // by the source: what the compiler was told is gone
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kDirective) continue;
    conditions.follow(token);
    const std::string_view name = first_word(directive_rest(token));
    if (directive_name(token) == "undef" && !token.other_branch &&
        !conditions.asks_for_value(name)) {
      undefined.insert(name);
    }
    if (directive_name(token) != "define") continue;
    out.push_back({name, &token, conditions.asks_for(name) && !undefined.contains(name)});
  }
  return out;
}

const Token* declaration_of(std::span<const Token> tokens, std::string_view name) {
  constexpr std::array<std::string_view, 11> kNoTypes{
      "return", "else", "case", "goto", "sizeof", "new", "and", "or", "not", "delete", "throw"};
  constexpr std::array<std::string_view, 5> kBehind{"=", "{", ",", ">", ")"};
  const Conditions::Names none;
  Conditions conditions(none);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind == Token::Kind::kDirective) conditions.follow(token);
    if (i == 0 || i + 1 >= tokens.size() || !token.is_word() || token.text != name) continue;
    const Token& type = tokens[i - 1];
    const bool declares =
        type.is_word() && std::ranges::find(kNoTypes, type.text) == kNoTypes.end() &&
        std::ranges::any_of(kBehind, [&](std::string_view sign) { return tokens[i + 1].is(sign); });
    if (declares && !token.other_branch && !conditions.asks_for(name)) return &token;
  }
  return nullptr;
}

int line_in(std::string_view source, const Token& token) {
  const std::string_view before = source.substr(0, token.at);
  return 1 + static_cast<int>(std::ranges::count(before, '\n'));
}

}  // namespace tuner
