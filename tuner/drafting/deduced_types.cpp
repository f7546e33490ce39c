// Deduces type arguments of templates as C++ does: by the types of what the host code passes.

#include <algorithm>
#include <array>

#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

// The type that a declaration begins with, "const unsigned int" of "const unsigned int *a, *b"; of
// a vector that of its elements. `declarators` is what stands before the name that is declared.
Tokens type_before(Tokens declarators) {
  constexpr std::string_view kNoTypes =
      "return delete else case goto new throw sizeof if for while do auto using namespace";
  while (!declarators.empty() &&
         is_one_of("const static constexpr volatile extern register", declarators[0].text)) {
    declarators = declarators.subspan(1);
  }
  std::size_t end = 0;
  while (end < declarators.size() && (declarators[end].is_word() || declarators[end].is("::"))) {
    if (is_one_of(kNoTypes, declarators[end].text)) return {};
    ++end;
  }
  if (end > 0 && end < declarators.size() && declarators[end].is("<")) {
    const std::size_t behind = behind_angles(declarators, end);
    const bool has_elements = declarators[end - 1].text.find("vector") != std::string_view::npos;
    return behind > 0 && has_elements ? declarators.subspan(end + 1, behind - end - 2) : Tokens();
  }
  const bool is_whole =
      end == declarators.size() || declarators[end].is("*") || declarators[end].is("&");
  if (!is_whole && end > 0) --end;  // "a" of "double a, b"
  while (end > 0 && is_one_of("const __restrict__ __restrict", declarators[end - 1].text)) --end;
  return declarators.first(end);
}

// The type of a variable that a function declares; empty: it does not, or as auto.
Tokens type_declared(Tokens body, std::string_view name) {
  for (std::size_t at = 1; at < body.size(); ++at) {
    const Token& before = body[at - 1];
    const bool may_be =
        body[at].is(name) && (before.is_word() || is_one_of("* & , >", before.text));
    if (!may_be) continue;
    std::size_t begin = at, depth = 0;
    for (; begin > 0 && !is_one_of("; { }", body[begin - 1].text); --begin) {
      if (body[begin - 1].is(")")) ++depth;
      if (body[begin - 1].is("(") && depth-- == 0) break;
    }
    if (const Tokens type = type_before(body.subspan(begin, at - begin)); !type.empty()) {
      return type;
    }
  }
  return {};
}

// "double" of "(double*)p", "reinterpret_cast<double*>(p)", "2.0"; empty: it says none.
Tokens type_spelled(Tokens passed) {
  static const std::array<Token, 2> kReals{Token{Token::Kind::kWord, "float", 0, false},
                                           Token{Token::Kind::kWord, "double", 0, false}};
  if (passed.size() == 1 && passed[0].kind == Token::Kind::kNumber) {
    const std::string_view text = passed[0].text;
    if (text.find('.') == text.npos) return {};
    return Tokens(kReals).subspan(text.ends_with('f') || text.ends_with('F') ? 0 : 1, 1);
  }
  if (passed.size() > 3 && passed[0].is("(")) {
    const Tokens cast = inside(passed, 0);
    if (!cast.empty() && cast.back().is("*")) return type_before(cast);
  }
  const bool is_cast = passed.size() > 4 && passed[0].text.ends_with("_cast") && passed[1].is("<");
  return is_cast ? type_before(passed.subspan(2)) : Tokens();
}

}  // namespace

DraftContext::HostText DraftContext::type_passed(Tokens passed, std::size_t frame) const {
  if (const Tokens spelled = type_spelled(passed); !spelled.empty()) return {spelled, frame};
  if (!hint || frame >= hint->frames.size()) return {};
  const HostFrame& now = hint->frames[frame];
  for (std::size_t at = 0; at < passed.size(); ++at) {
    const bool is_member = at > 0 && (passed[at - 1].is(".") || passed[at - 1].is("->"));
    const bool is_call = at + 1 < passed.size() && passed[at + 1].is("(");
    if (!passed[at].is_word() || is_member || is_call) continue;
    const Tokens local = type_declared(now.body, passed[at].text);
    if (!local.empty()) return {local, frame};
    const auto place = std::ranges::find(now.parameters, passed[at].text);
    if (place == now.parameters.end()) continue;
    const Tokens declared = now.declared[static_cast<std::size_t>(place - now.parameters.begin())];
    return {type_before(part_before(declared, passed[at].text)), frame};
  }
  return {};
}

std::string DraftContext::deduced_type(const std::string& parameter) const {
  for (std::size_t i = 0; hint && i < std::min(kernel.arguments.size(), hint->arguments.size());
       ++i) {
    if (kernel.arguments[i].c_type != parameter) continue;
    const HostText type = type_passed(hint->arguments[i], 0);
    if (!type.tokens.empty()) return type_said(type.tokens, type.frame);
  }
  return {};
}

DraftContext::HostText DraftContext::deduced_type_of_frame(const std::string& parameter,
                                                           std::size_t frame) const {
  const HostFrame& now = hint->frames[frame];
  for (std::size_t i = 0; i < std::min(now.declared.size(), now.arguments.size()); ++i) {
    if (parameter_of(now.declared[i]).c_type != parameter) continue;
    HostText type = type_passed(now.arguments[i], frame + 1);
    if (!type.tokens.empty()) return type;
  }
  return {};
}

}  // namespace tuner
