// Adds up members.

#include "tuner/source/struct_bytes.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace tuner {
namespace {

// Of "x[4][2]": 8; an extent that is no number counts as one.
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

// What a member of a struct takes at least: 0 where that is not known.
std::size_t member_bytes(Tokens member) {
  static const std::set<std::string_view> kOther{"static", "typedef", "using", "template",
                                                 "friend"};
  const bool is_data = !member.empty() && !kOther.contains(member.front().text) &&
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
  const std::size_t digits = type.name.find_first_of("0123456789");
  return static_cast<std::size_t>(std::stoi(type.name.substr(digits)) / 8 * type.lanes);
}

std::size_t struct_bytes(Tokens body, bool is_union) {
  std::size_t out = 0, from = 0;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at].is("{")) {
      at = behind_closing(body, at) - 1;
    } else if (body[at].is(";")) {
      const std::size_t bytes = member_bytes(body.subspan(from, at - from));
      out = is_union ? std::max(out, bytes) : out + bytes;
      from = at + 1;
    }
  }
  return out;
}

}  // namespace tuner
