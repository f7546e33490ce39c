// Finds variables that take code of the host to be made, and other ways to run before all else.

#include "tuner/source/host_initialisers.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "tuner/source/declarations.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

constexpr std::string_view kNumbers =
    "void bool char short int long float double signed unsigned size_t ptrdiff_t uint uchar ushort "
    "ulong int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t half __half "
    "__nv_bfloat16 nv_bfloat16 char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short2 short4 "
    "ushort2 ushort4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 long2 longlong2 float1 float2 "
    "float3 float4 double1 double2 double3 double4 auto";
constexpr std::string_view kNoVariables =
    "using typedef static_assert namespace friend concept template requires enum";
constexpr std::string_view kLikeCalls =
    "sizeof alignof alignas decltype noexcept static_cast const_cast reinterpret_cast "
    "__attribute__ __align__ __launch_bounds__ if";
constexpr std::string_view kRunAtLoading =
    "constructor __constructor__ destructor __destructor__ init_priority __init_priority__ section "
    "__section__ ifunc __ifunc__";

// "[" that begins neither an index nor an attribute.
bool begins_lambda(Tokens tokens, std::size_t at) {
  if (!tokens[at].is("[")) return false;
  if (at + 1 < tokens.size() && tokens[at + 1].is("[")) return false;
  if (at == 0) return true;
  const Token& before = tokens[at - 1];
  return !before.is_word() && !before.is("]") && !before.is(")") && !before.is("[");
}

class Finder {
 public:
  explicit Finder(const std::vector<Declaration>& declarations) {
    for (const Declaration& one : declarations) {
      if (mentions(one.all, "constexpr") || mentions(one.all, "consteval")) {
        constant_.insert(last_name(one.name));
      }
    }
  }

  void look_at(const Declaration& one) {
    if (one.all.empty()) return;
    if (one.all.front().is("asm") || one.all.front().is("__asm__")) found_.emplace_back("asm");
    if (one.kind == Declaration::Kind::kType) return look_at_type(one);
    if (one.kind == Declaration::Kind::kOther) look_at_variable(one.all);
  }

  // Wherever they stand: in a macro, too.
  void look_at_attributes(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.kind == Token::Kind::kDirective) {
        if (directive_name(token) == "define") look_at_attributes(tokens_of(directive_rest(token)));
      } else if (token.is_word() && is_one_of(kRunAtLoading, token.text)) {
        const std::size_t at = static_cast<std::size_t>(&token - tokens.data());
        const bool is_attribute =
            at >= 2 &&
            (tokens[at - 1].is("(") || tokens[at - 1].is(",") || tokens[at - 1].is("::")) &&
            std::any_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(at),
                        [](const Token& t) {
                          return t.is("__attribute__") || t.is("__attribute") || t.is("gnu");
                        });
        if (is_attribute) found_.emplace_back(token.text);
      }
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  // Static members, and what is declared behind the body.
  void look_at_type(const Declaration& one) {
    const auto end = static_cast<std::size_t>(one.body.data() - one.all.data()) + one.body.size();
    const bool is_named = one.all.front().is("typedef");
    if (!is_named && !one.body.empty() && end + 2 < one.all.size()) {
      found_.emplace_back(one.all[end + 1].text);
    }
    for (const Declaration& member : declarations_of(one.body)) {
      const bool is_variable = member.kind == Declaration::Kind::kOther;
      if (is_variable && mentions(member.all, "static")) look_at_variable(member.all);
    }
  }

  void look_at_variable(Tokens tokens) {
    if (mentions(tokens, "constexpr") || mentions(tokens, "consteval")) return;
    const std::size_t first =
        tokens.front().is("template") && tokens.size() > 1 && tokens[1].is("<")
            ? behind_angles(tokens, 1)
            : 0;
    if (first >= tokens.size() || is_one_of(kNoVariables, tokens[first].text)) return;
    if (tokens[first].is("extern") && index_of(tokens, "=") == tokens.size()) return;
    const std::size_t begins = std::min(
        {index_of(tokens, "=", first), index_of(tokens, "{", first), index_of(tokens, "(", first)});
    if (begins == first) return;
    const std::string_view name = name_before(tokens, begins);
    if (name.empty()) return;
    const bool is_made = runs_code(tokens.subspan(begins)) || has_constructor(tokens, begins);
    if (is_made) found_.emplace_back(name);
  }

  // Finds the declared name: "table" in "static int table[4]", "q" in "S::q". Empty for a single
  // word.
  static std::string_view name_before(Tokens tokens, std::size_t end) {
    std::string_view name;
    std::size_t words = 0;
    int depth = 0;
    for (std::size_t at = 0; at < end; ++at) {
      if (tokens[at].is("[")) ++depth;
      if (tokens[at].is("]")) --depth;
      if (depth > 0 || !tokens[at].is_word()) continue;
      ++words;
      name = tokens[at].text;
    }
    return words < 2 ? std::string_view() : name;
  }

  bool runs_code(Tokens value) const {
    for (std::size_t at = 0; at < value.size(); ++at) {
      if (begins_lambda(value, at)) return true;
      if (at == 0 || !value[at].is("(") || !value[at - 1].is_word()) continue;
      const std::string_view callee = value[at - 1].text;
      if (is_one_of(kNumbers, callee) || is_one_of(kLikeCalls, callee)) continue;
      if (!constant_.contains(callee) && !is_in_capitals(callee)) return true;
    }
    return false;
  }

  // A class that is no number may have one; a pointer or a reference has none.
  static bool has_constructor(Tokens tokens, std::size_t begins) {
    const Tokens declared = tokens.subspan(0, begins);
    if (mentions(declared, "*") || mentions(declared, "&") || mentions(declared, "__constant__") ||
        mentions(declared, "__device__") || mentions(declared, "__shared__") ||
        mentions(declared, "enum")) {
      return false;
    }
    return std::ranges::none_of(declared, [](const Token& token) {
      return token.is_word() && is_one_of(kNumbers, token.text);
    });
  }

  std::set<std::string_view> constant_;  // functions that the compiler itself may call
  std::vector<std::string> found_;
};

// A macro's text that has a lambda in it: whatever it is used for.
void look_at_macros(const std::vector<Token>& tokens, std::vector<std::string>& found) {
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kDirective || directive_name(token) != "define") continue;
    const std::vector<Token> text = tokens_of(directive_rest(token));
    for (std::size_t at = 2; at < text.size(); ++at) {
      if (!begins_lambda(text, at)) continue;
      found.emplace_back(text.front().text);
      break;
    }
  }
}

}  // namespace

std::vector<std::string> host_initialisers_in(const std::string& source) {
  const std::vector<Token> tokens = tokens_of(source);
  const std::vector<Token> code = code_of(tokens, Branches::kAll);
  const std::vector<Declaration> declarations = declarations_of(code);
  Finder finder(declarations);
  for (const Declaration& one : declarations) finder.look_at(one);
  finder.look_at_attributes(tokens);
  std::vector<std::string> found = finder.take();
  look_at_macros(tokens, found);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace tuner
