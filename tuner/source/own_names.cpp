// Finds #defines and the names that the conditions around them use, and declarations around the
// word __constant__.

#include "tuner/source/own_names.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tuner/base/text.h"

namespace tuner {
namespace {

// The names that the conditions around a place use. A name is counted as often as it is used, so
// that it costs nothing to leave a level.
class ConditionStack {
 public:
  using Names = std::set<std::string, std::less<>>;

  explicit ConditionStack(const Names& given) : given_(given) {}

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
  // Whether they use its value, not only whether it is defined.
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

}  // namespace

std::vector<Token> MacroDefinition::tokens() const {
  std::vector<Token> out = tokens_of(text);
  std::erase_if(out, [](const Token& token) { return token.is("\\"); });
  return out;
}

std::optional<MacroDefinition> definition_in(const Token& token) {
  if (token.kind != Token::Kind::kDirective || directive_name(token) != "define") {
    return std::nullopt;
  }
  const std::string_view rest = directive_rest(token);
  MacroDefinition out{word_at(rest), {}, {}, &token};
  out.text = rest.substr(out.name.size());
  if (out.text.starts_with('(')) {
    const std::size_t close = std::min(out.text.find(')'), out.text.size() - 1);
    out.takes_arguments = true;
    out.parameters = out.text.substr(1, close - 1);
    out.text.remove_prefix(close + 1);
  }
  while (!out.text.empty() && is_blank(out.text.front())) out.text.remove_prefix(1);
  return out;
}

std::vector<MacroDefinition> macro_definitions(std::span<const Token> tokens,
                                               const std::set<std::string, std::less<>>& given) {
  std::vector<MacroDefinition> out;
  ConditionStack conditions(given);
  std::set<std::string_view> undefined;  // by the source: what the compiler was told is gone
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kDirective) continue;
    conditions.follow(token);
    if (directive_name(token) == "undef" && !token.other_branch) {
      const std::string_view name = word_at(directive_rest(token));
      if (!conditions.asks_for_value(name)) undefined.insert(name);
    }
    auto macro = definition_in(token);
    if (!macro) continue;
    macro->is_guarded = conditions.asks_for(macro->name) && !undefined.contains(macro->name);
    out.push_back(*macro);
  }
  return out;
}

const Token* declaration_of(std::span<const Token> tokens, std::string_view name) {
  constexpr std::string_view kNoTypes = "return else case goto sizeof new and or not delete throw";
  const ConditionStack::Names none;
  ConditionStack conditions(none);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind == Token::Kind::kDirective) conditions.follow(token);
    if (i == 0 || i + 1 >= tokens.size() || !token.is_word() || token.text != name) continue;
    const Token& type = tokens[i - 1];
    const bool declares = type.is_word() && !is_one_of(kNoTypes, type.text) &&
                          is_one_of("= { , > )", tokens[i + 1].text);
    if (declares && !token.other_branch && !conditions.asks_for(name)) return &token;
  }
  return nullptr;
}

int line_in(std::string_view source, const Token& token) {
  const std::string_view before = source.substr(0, token.at);
  return 1 + static_cast<int>(std::ranges::count(before, '\n'));
}

std::optional<std::string> undeclared_name(std::string_view log,
                                           std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const std::string& words :
         {"'" + name + "' was not declared", "undeclared identifier '" + name + "'",
          "identifier \"" + name + "\" is undefined"}) {
      if (log.find(words) != std::string_view::npos) return name;
    }
  }
  return std::nullopt;
}

// ---- constants that others set ------------------------------------------------------------------

namespace {

// The name is the last word behind __constant__ or __device__; what stands before the first name is
// the type of all, and `type` from then on.
void add_constant(Tokens piece, std::vector<Token>& type, std::vector<UnsetConstant>& out) {
  UnsetConstant now{{}, {}, type, {}};
  const Tokens declared = part_before(piece, "=");
  bool may_be_named = !type.empty(), is_set = false;
  for (std::size_t at = 0; at < declared.size();) {
    const Token& token = declared[at];
    if (opens(token)) {
      if (token.is("[")) now.extents.push_back(inside(declared, at));
      is_set = is_set || token.is("{");
      at = behind_closing(declared, at);
      continue;
    }
    ++at;
    may_be_named = may_be_named || is_one_of("__constant__ __device__", token.text);
    if (is_one_of("__constant__ __device__ extern", token.text)) continue;
    if (token.is_word() && may_be_named) {
      now.name = token;
      is_set = false;  // behind a '}' are the names that a structure was defined for
    }
    now.declared.push_back(token);
  }
  if (type.empty() && !now.declared.empty()) {
    type.assign(now.declared.begin(), now.declared.end() - 1);
  }
  const bool is_known = std::ranges::any_of(
      out, [&](const UnsetConstant& one) { return one.name.text == now.name.text; });
  is_set = is_set || declared.size() < piece.size();
  if (!is_set && now.name.is_word() && !is_known) out.push_back(std::move(now));
}

// Lists variables that host code copies to: of "cudaMemcpyToSymbol(table, h, bytes)" the first.
std::set<std::string_view> copied_to(Tokens code) {
  std::set<std::string_view> out;
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    if (!is_one_of("cudaMemcpyToSymbol cudaMemcpyToSymbolAsync", code[at].text)) continue;
    std::size_t name = at + 1;
    if (code[name].is("<")) name = std::max(behind_angles(code, name), name);
    while (name < code.size() && is_one_of("( &", code[name].text)) ++name;
    if (name < code.size()) out.insert(code[name].text);
  }
  return out;
}

// Whether a use of a variable only reads it: no assignment, no "++", no address, no array as a
// whole, which a function may write to. Calls of CUDA's runtime are host code's.
bool only_reads(Tokens code, std::size_t at, bool is_array) {
  std::size_t behind = at + 1;
  while (behind < code.size() && code[behind].is("[")) behind = behind_closing(code, behind);
  if (is_array && behind == at + 1) return false;
  while (behind + 1 < code.size() && code[behind].is(".")) behind += 2;
  if (behind + 1 >= code.size() || at < 2) return true;
  const Token &next = code[behind], &second = code[behind + 1], &before = code[at - 1];
  const bool is_assigned = next.is("=") && !second.is("=");
  const bool is_changed = is_one_of("+ - * / % & | ^", next.text) && second.is("=");
  const bool is_counted = is_one_of("+ -", next.text) && second.is(next.text);
  const bool is_counted_before = is_one_of("+ -", before.text) && code[at - 2].is(before.text);
  const bool is_address =
      before.is("&") && !code[at - 2].is_word() && !is_one_of(") ] &", code[at - 2].text);
  return !is_assigned && !is_changed && !is_counted && !is_counted_before && !is_address;
}

// Index behind "cudaMemcpyToSymbol<T>(...)" and the like; `at`: no such call begins there.
std::size_t behind_runtime_call(Tokens code, std::size_t at) {
  if (!code[at].text.starts_with("cuda")) return at;
  std::size_t open = at + 1;
  if (open < code.size() && code[open].is("<")) open = std::max(behind_angles(code, open), open);
  return open < code.size() && code[open].is("(") ? behind_closing(code, open) : at;
}

bool is_only_read(Tokens code, const UnsetConstant& one) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (const std::size_t behind = behind_runtime_call(code, at); behind > at) {
      at = behind - 1;
    } else if (code[at].is(one.name.text) && !only_reads(code, at, !one.extents.empty())) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<UnsetConstant> unset_constants(Tokens code) {
  const std::set<std::string_view> copied = copied_to(code);
  std::vector<UnsetConstant> out;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const bool is_constant = code[at].is("__constant__");
    if (!is_constant && (copied.empty() || !code[at].is("__device__"))) continue;
    std::size_t from = at, end = at;
    while (from > 0 && !is_one_of("; { }", code[from - 1].text)) --from;
    bool is_function = false;
    while (end < code.size() && !code[end].is(";")) {
      is_function = is_function || code[end].is("(");
      end = opens(code[end]) ? behind_closing(code, end) : end + 1;
    }
    if (!is_constant && is_function) continue;
    const std::size_t before = out.size();
    std::vector<Token> type;
    for (const Tokens piece : pieces_between_commas(code.subspan(from, end - from))) {
      add_constant(piece, type, out);
    }
    for (std::size_t i = before; i < out.size(); ++i) out[i].space = code[at].text;
    std::erase_if(out, [&](const UnsetConstant& one) {
      const bool is_table = copied.contains(one.name.text) && is_only_read(code, one);
      return one.space == "__device__" && !is_table;
    });
  }
  return out;
}

}  // namespace tuner
