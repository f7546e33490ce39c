// Members of structs that the host code passes to a kernel by value.

#include <algorithm>

#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

// Splits what stands in the last brackets of "{a, b}", "View<float>{a, b}", "p(a, b)"; none: the
// text does not end with any.
std::vector<Tokens> pieces_of(Tokens text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_open = text[at].is("{") || text[at].is("(");
    if (is_open && behind_closing(text, at) == text.size()) return items(text, at);
  }
  return {};
}

struct Declared {
  std::string type;  // empty: not seen, or more than a word
  Tokens value;      // "v{a, b}", "v(a, b)", or what stands behind "v ="; empty: none
};

// Finds the declaration of a variable: "V u{c}, v{a, b};", "V v(a, b)", "V v = ...".
Declared declared_as(Tokens code, std::string_view variable) {
  for (std::size_t at = code.size(); at-- > 1;) {
    if (!code[at].is(variable) || at + 1 == code.size()) continue;
    const Token& before = code[at - 1];
    const bool is_another = before.is(",") && code[at + 1].is("{");
    if (!before.is_word() && !before.is(">") && !is_another) continue;
    const std::string type(before.is_word() ? before.text : "");
    if (code[at + 1].is("=")) return {type, part_before(code.subspan(at + 2), ";")};
    if (!code[at + 1].is("{") && !code[at + 1].is("(")) continue;
    return {type, code.subspan(at, behind_closing(code, at + 1) - at)};
  }
  return {};
}

// Finds ".n = 8" by its name, else the piece in the member's place, if there is one for each
// member.
Tokens piece_for(const std::vector<Tokens>& pieces, const FoundRecord& record,
                 const std::string& member) {
  for (const Tokens piece : pieces) {
    const bool is_named = piece.size() > 3 && piece[0].is(".") && piece[2].is("=");
    if (is_named && piece[1].is(member)) return piece.subspan(3);
  }
  const auto place = static_cast<std::size_t>(
      std::ranges::find(record, member, &FoundMember::name) - record.begin());
  return pieces.size() == record.size() && place < pieces.size() ? pieces[place] : Tokens();
}

// Splits "in.width" at its first dot.
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  return {path.substr(0, dot), path.substr(std::min(dot + 1, path.size()))};
}

}  // namespace

DraftContext::HostText DraftContext::member_in(Tokens value, std::size_t frame,
                                               const std::string& path, const FoundRecord* record,
                                               int depth) const {
  constexpr int kMostCopies = 8;
  if (value.size() == 1 && value[0].is_word()) {
    if (depth == kMostCopies) return {};
    return what_is_set(std::string(value[0].text) + "." + path, frame, depth + 1);
  }
  const auto named = value.empty() ? records.end() : records.find(std::string(value[0].text));
  if (named != records.end()) record = &named->second;
  if (record == nullptr) return {};
  const auto [member, rest] = split_path(path);
  const Tokens piece = piece_for(pieces_of(value), *record, member);
  if (rest.empty() || piece.empty()) return {piece, frame};
  const auto one = std::ranges::find(*record, member, &FoundMember::name);
  const auto inner = one == record->end() ? records.end() : records.find(one->type);
  return member_in(piece, frame, rest, inner == records.end() ? nullptr : &inner->second, depth);
}

DraftContext::HostText DraftContext::member_of_whole(const std::string& name, std::size_t frame,
                                                     int depth) const {
  const HostFrame& now = hint->frames[frame];
  HostText out;
  std::string whole = name;
  while (out.tokens.empty() && whole.find('.') != whole.npos) {
    whole.resize(whole.rfind('.'));
    const bool is_variable = whole.find('.') == whole.npos;
    const Declared declared = is_variable ? declared_as(now.before, whole) : Declared();
    const auto record = records.find(declared.type);
    out = member_in(is_variable ? declared.value : set_above(now, whole), frame,
                    name.substr(whole.size() + 1),
                    record == records.end() ? nullptr : &record->second, depth);
  }
  return out;
}

DraftContext::HostText passed_member(const DraftContext& c, const std::string& argument,
                                     const FoundRecord& record, const std::string& path) {
  const Tokens passed = c.passed_for(argument);
  if (!c.hint || passed.empty()) return {};
  const auto said = c.member_in(passed, 0, path, &record);
  if (!said.tokens.empty() || passed.size() > 1 || c.hint->frames.empty()) return said;
  // The name of a class template alone does not say the record.
  return c.member_in(declared_as(c.hint->frames.front().before, passed[0].text).value, 0, path,
                     &record);
}

}  // namespace tuner
