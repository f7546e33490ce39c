// Reads parameters word by word.

#include "tuner/source/parameters.h"

#include <algorithm>
#include <map>
#include <set>

namespace tuner {
namespace {

using Words = std::set<std::string_view>;

bool is_qualifier(std::string_view word) {
  static const Words kAll{"const",
                          "volatile",
                          "__restrict__",
                          "__restrict",
                          "restrict",
                          "struct",
                          "__grid_constant__",
                          "typename",
                          "static",
                          "inline",
                          "class",
                          "union",
                          "enum",
                          "register"};
  return kAll.contains(word);
}

// Words that a type may be made of in any order, so that none of them is a parameter's name.
bool is_type_word(std::string_view word) {
  static const Words kAll{"signed", "unsigned", "char",   "short", "int",
                          "long",   "float",    "double", "bool",  "void"};
  return kAll.contains(word);
}

// "long unsigned int" as "unsigned long": one spelling for each type.
std::string usual_order(const std::string& c_type) {
  std::map<std::string_view, int> count;
  for (const Token& token : tokens_of(c_type)) {
    static const Words kInteger{"signed", "unsigned", "char", "short", "int", "long"};
    if (!kInteger.contains(token.text)) return c_type;
    ++count[token.text];
  }
  if (count.empty()) return c_type;
  std::string out = count["unsigned"] > 0 ? "unsigned " : "";
  if (count["char"] > 0) return (count["signed"] > 0 ? "signed " : out) + "char";
  if (count["short"] > 0) return out + "short";
  return out + (count["long"] > 0 ? "long" : "int");
}

// Index of the name that a parameter is given; its size where it has none.
std::size_t name_in(Tokens parameter) {
  const auto open = std::ranges::find_if(parameter, [](const Token& t) { return t.is("["); });
  const auto end = static_cast<std::size_t>(open - parameter.begin());
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
  static const std::map<std::string, std::string> kPlain{{"float", "float32"},
                                                         {"double", "float64"},
                                                         {"half", "float16"},
                                                         {"__half", "float16"},
                                                         {"__nv_bfloat16", "bfloat16"},
                                                         {"nv_bfloat16", "bfloat16"},
                                                         {"bfloat16", "bfloat16"},
                                                         {"char", "int8"},
                                                         {"signed char", "int8"},
                                                         {"int8_t", "int8"},
                                                         {"unsigned char", "uint8"},
                                                         {"uchar", "uint8"},
                                                         {"uint8_t", "uint8"},
                                                         {"bool", "uint8"},
                                                         {"short", "int16"},
                                                         {"int16_t", "int16"},
                                                         {"unsigned short", "uint16"},
                                                         {"ushort", "uint16"},
                                                         {"uint16_t", "uint16"},
                                                         {"int", "int32"},
                                                         {"int32_t", "int32"},
                                                         {"unsigned int", "uint32"},
                                                         {"uint", "uint32"},
                                                         {"uint32_t", "uint32"},
                                                         {"long", "int64"},
                                                         {"longlong", "int64"},
                                                         {"int64_t", "int64"},
                                                         {"ptrdiff_t", "int64"},
                                                         {"ssize_t", "int64"},
                                                         {"intptr_t", "int64"},
                                                         {"unsigned long", "uint64"},
                                                         {"ulong", "uint64"},
                                                         {"ulonglong", "uint64"},
                                                         {"uint64_t", "uint64"},
                                                         {"size_t", "uint64"},
                                                         {"uintptr_t", "uint64"},
                                                         {"byte", "uint8"}};
  static const std::map<std::string, ElementType> kNamed{
      {"cuComplex", {"float32", 2}},          {"cuFloatComplex", {"float32", 2}},
      {"cufftComplex", {"float32", 2}},       {"cuDoubleComplex", {"float64", 2}},
      {"cufftDoubleComplex", {"float64", 2}}, {"__half2", {"float16", 2}},
      {"__nv_bfloat162", {"bfloat16", 2}},    {"nv_bfloat162", {"bfloat16", 2}}};
  if (const auto plain = kPlain.find(usual_order(c_type)); plain != kPlain.end()) {
    return {{plain->second, 1}};
  }
  if (const auto named = kNamed.find(c_type); named != kNamed.end()) return named->second;
  if (c_type.empty() || c_type.back() < '1' || c_type.back() > '4') return std::nullopt;
  const std::string base = c_type.substr(0, c_type.size() - 1);
  static const Words kVectors{"float",  "double", "int",  "uint",  "char",     "uchar",    "short",
                              "ushort", "half",   "long", "ulong", "longlong", "ulonglong"};
  if (!kVectors.contains(base)) return std::nullopt;
  return {{kPlain.at(base), c_type.back() - '0'}};
}

KernelParameter parameter_of(Tokens declared) {
  KernelParameter out;
  const auto equals = std::ranges::find_if(declared, [](const Token& t) { return t.is("="); });
  declared = declared.first(static_cast<std::size_t>(equals - declared.begin()));
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
  std::size_t end = 2;
  for (int depth = 1; end < head.size(); ++end) {
    if (head[end].is("<")) ++depth;
    if (head[end].is(">") && --depth == 0) break;
  }
  for (const Tokens piece : pieces_between_commas(head.subspan(2, end - 2))) {
    const auto equals = std::ranges::find_if(piece, [](const Token& t) { return t.is("="); });
    const auto at = static_cast<std::size_t>(equals - piece.begin());
    TemplateParameter one;
    if (at == 0) continue;
    one.name = std::string(piece[at - 1].text);
    one.kind = joined(piece.first(at - 1));
    if (one.kind.starts_with("const ")) one.kind.erase(0, 6);
    if (at < piece.size()) one.default_value = piece.subspan(at + 1);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tuner
