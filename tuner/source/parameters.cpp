// Reads parameters word by word, and replaces words until none stands for something else.

#include "tuner/source/parameters.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "tuner/model/data_type.h"

namespace tuner {
namespace {

bool is_qualifier(std::string_view word) {
  return is_one_of(
      "const volatile __restrict__ __restrict restrict struct __grid_constant__ typename "
      "static inline class union enum register __global __constant __private",
      word);
}

// Words that a type may be made of in any order, so that none of them is a parameter's name.
bool is_type_word(std::string_view word) {
  return is_one_of("signed unsigned char short int long float double bool void", word);
}

// "long unsigned int" as "ulong": one spelling for each type of whole numbers.
std::string usual_spelling(const std::string& c_type) {
  std::map<std::string_view, int> count;
  for (const Token& token : tokens_of(c_type)) {
    if (!is_one_of("signed unsigned char short int long", token.text)) return c_type;
    ++count[token.text];
  }
  if (count.empty()) return c_type;
  const std::string sign = count["unsigned"] > 0 ? "u" : "";
  if (count["char"] > 0) return sign + "char";
  if (count["short"] > 0) return sign + "short";
  return sign + (count["long"] > 0 ? "long" : "int");
}

// The type of which `words` has this one.
const TypeFacts* type_with(std::string_view TypeFacts::*words, std::string_view word) {
  const auto row = std::ranges::find_if(
      kDataTypes, [&](const TypeFacts& one) { return is_one_of(one.*words, word); });
  return row == kDataTypes.end() ? nullptr : &*row;
}

// Index of the name that a parameter is given; its size where it has none.
std::size_t name_in(Tokens parameter) {
  const std::size_t end = index_of(parameter, "[");
  std::size_t at = end;
  while (at > 0 && (!parameter[at - 1].is_word() || is_qualifier(parameter[at - 1].text))) --at;
  if (at == 0 || is_type_word(parameter[at - 1].text)) return parameter.size();
  const bool alone = std::ranges::none_of(parameter.first(at - 1), [](const Token& token) {
    return token.is_word() && !is_qualifier(token.text);
  });
  const bool is_behind_type = at < end && (parameter[at].is("*") || parameter[at].is("&"));
  return alone || is_behind_type ? parameter.size() : at - 1;
}

}  // namespace

std::string joined(Tokens tokens) {
  std::string out;
  const Token* before = nullptr;
  for (const Token& token : tokens) {
    const bool one_sign = before != nullptr && before->is("<") && token.is("<");
    out += (out.empty() || one_sign ? "" : " ") + std::string(token.text);
    before = &token;
  }
  return out;
}

std::optional<ElementType> element_type(const std::string& c_type) {
  const auto made = [](const TypeFacts& type, int lanes) {
    return ElementType{std::string(type.name), lanes};
  };
  if (const auto* type = type_with(&TypeFacts::spellings, usual_spelling(c_type))) {
    return made(*type, 1);
  }
  if (const auto* type = type_with(&TypeFacts::pairs, c_type)) return made(*type, 2);
  if (c_type.empty() || c_type.back() < '1' || c_type.back() > '4') return std::nullopt;
  const auto* type = type_with(&TypeFacts::vectors, c_type.substr(0, c_type.size() - 1));
  return type == nullptr ? std::nullopt : std::optional(made(*type, c_type.back() - '0'));
}

KernelParameter parameter_of(Tokens declared) {
  KernelParameter out;
  declared = part_before(declared, "=");
  const std::size_t name_at = name_in(declared);
  out.is_plain =
      std::ranges::none_of(declared,
                           [](const Token& token) {
                             return token.is("&") || token.is(".") || token.is("decltype");
                           }) &&
      std::ranges::count_if(declared, [](const Token& t) { return t.is("("); }) < 2;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Token& token = declared[i];
    if (token.is("*")) ++out.pointers;
    if (i >= name_at || out.is_pointer()) continue;  // behind a '*' are qualifiers only
    if (token.is("const")) out.is_const = true;
    if (!token.is_word() || is_qualifier(token.text)) {
      if (token.is("::") || token.is("<") || token.is(">")) out.c_type += std::string(token.text);
      continue;
    }
    const bool glue = out.c_type.empty() || out.c_type.ends_with("::") || out.c_type.ends_with("<");
    out.c_type += (glue ? "" : " ") + std::string(token.text);
  }
  // Only the first extent of "float x[4][4]" is a pointer; "(*x)[4]" is one already.
  if (mentions(declared, "[") && !mentions(declared, "(")) ++out.pointers;
  if (name_at < declared.size()) out.name = std::string(declared[name_at].text);
  if (out.c_type.starts_with("std::")) out.c_type.erase(0, 5);
  return out;
}

std::vector<TemplateParameter> template_parameters(Tokens head) {
  std::vector<TemplateParameter> out;
  if (head.size() < 4 || !head[0].is("template")) return out;
  const std::size_t behind = behind_angles(head, 1);
  if (behind == 0) return out;
  for (const Tokens piece : pieces_between_commas(head.subspan(2, behind - 3))) {
    const Tokens declared = part_before(piece, "=");
    if (declared.empty()) continue;
    TemplateParameter one{std::string(declared.back().text),
                          joined(declared.first(declared.size() - 1)), part_behind(piece, "=")};
    if (one.kind.starts_with("const ")) one.kind.erase(0, 6);
    out.push_back(std::move(one));
  }
  return out;
}

namespace {

// Counts the elements of a member, 8 for "x[4][2]"; an extent that is no number counts as one.
std::size_t elements_of(Tokens member) {
  std::size_t out = 1;
  for (std::size_t i = 0; i + 2 < member.size(); ++i) {
    const bool known = member[i].is("[") && member[i + 1].kind == Token::Kind::kNumber &&
                       member[i + 2].is("]") && member[i + 1].text.size() < 6;
    if (known && std::ranges::all_of(member[i + 1].text,
                                     [](unsigned char c) { return std::isdigit(c) != 0; })) {
      out *= std::stoul(std::string(member[i + 1].text));
    }
  }
  return out;
}

// Returns the least size of a struct's member, bytes: 0 where that is not known.
std::size_t member_bytes(Tokens member) {
  const bool is_data = !member.empty() &&
                       !is_one_of("static typedef using template friend", member.front().text) &&
                       !mentions(member, "(") && !mentions(member, ":") && !mentions(member, "{");
  if (!is_data) return 0;
  std::size_t out = 0, each = 0;
  for (const Tokens piece : pieces_between_commas(member)) {
    const KernelParameter one = parameter_of(piece);
    if (const auto type = element_type(one.c_type)) each = bytes_of(*type);
    out += (mentions(piece, "*") ? sizeof(void*) : each) * elements_of(piece);
  }
  return out;
}

}  // namespace

std::size_t bytes_of(const ElementType& type) {
  const auto known = data_type_named(type.name);
  return known ? size_of(*known) * static_cast<std::size_t>(type.lanes) : 0;
}

std::size_t struct_bytes(Tokens body, bool is_union) {
  std::size_t out = 0;
  for (const Tokens member : member_declarations(body)) {
    const std::size_t bytes = member_bytes(member);
    out = is_union ? std::max(out, bytes) : out + bytes;
  }
  return out;
}

// ---- readings -----------------------------------------------------------------------------------

namespace {

using Alternatives = std::vector<std::vector<Token>>;

constexpr int kMostAliases = 8;    // names that stand for names
constexpr std::size_t kMost = 64;  // readings

// A word before a comma or the end, behind a type, is what a parameter is called.
bool is_name(Tokens tokens, std::size_t at) {
  const bool ends = at + 1 == tokens.size() || tokens[at + 1].is(",") || tokens[at + 1].is("[") ||
                    tokens[at + 1].is("=") || tokens[at + 1].is(")");
  if (!ends || at == 0) return false;
  const Token& before = tokens[at - 1];
  const bool qualifies =
      before.is("const") || before.is("volatile") || before.is("typename") || before.is("struct");
  return (before.is_word() && !qualifies) || before.is("*") || before.is("&") || before.is(">");
}

// "n::" before a name that is replaced goes with it; after "x<y>::" it is another name.
bool drop_namespaces(std::vector<Token>& out) {
  while (out.size() >= 2 && out.back().is("::")) {
    if (!out[out.size() - 2].is_word()) return false;
    out.resize(out.size() - 2);
  }
  return true;
}

std::optional<Alternatives> replaced_once(Tokens tokens, const Meanings& meanings, bool& changed) {
  Alternatives out{{}};
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const auto known = tokens[at].is_word() ? meanings.find(tokens[at].text) : meanings.end();
    const bool stays =
        known == meanings.end() || is_name(tokens, at) || !drop_namespaces(out.front());
    if (stays) {
      for (auto& one : out) one.push_back(tokens[at]);
      continue;
    }
    changed = true;
    Alternatives longer;
    for (auto& one : out) {
      drop_namespaces(one);
      for (const auto& meaning : known->second) {
        longer.push_back(one);
        longer.back().insert(longer.back().end(), meaning.begin(), meaning.end());
      }
    }
    out = std::move(longer);
    if (out.size() > kMost) return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<Alternatives> readings_of(Tokens parameters, const Meanings& meanings) {
  Alternatives all{{parameters.begin(), parameters.end()}};
  for (int depth = 0; depth < kMostAliases; ++depth) {
    Alternatives next;
    bool changed = false;
    for (const auto& one : all) {
      auto more = replaced_once(one, meanings, changed);
      if (!more || next.size() + more->size() > kMost) return std::nullopt;
      std::ranges::move(*more, std::back_inserter(next));
    }
    all = std::move(next);
    if (!changed) break;
  }
  return all;
}

}  // namespace tuner
