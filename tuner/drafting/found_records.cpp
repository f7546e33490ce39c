// Reads a struct's members.

#include "tuner/drafting/found_source.h"

namespace tuner {
namespace {

// Writes an expression with the numbers that its names stand for; nothing if one has none.
std::optional<std::string> plain_text(Tokens expression, const NamesOfTypes& names, int depth = 0) {
  constexpr int kMostSteps = 8;
  return study_expression(expression, [&](const std::string& name) -> std::optional<std::string> {
    if (const auto known = names.numbers.find(name); known != names.numbers.end()) {
      return std::to_string(known->second);
    }
    const auto made = names.computed.find(name);
    if (made == names.computed.end() || depth == kMostSteps) return std::nullopt;
    return plain_text(made->second, names, depth + 1);
  });
}

std::optional<std::int64_t> count_of(Tokens declared, const NamesOfTypes& names) {
  std::int64_t count = 1;
  for (std::size_t at = 0; at < declared.size(); ++at) {
    if (!declared[at].is("[")) continue;
    const auto text = plain_text(inside(declared, at), names);
    const auto number = text ? constant_value(*text) : std::nullopt;
    if (!number || *number < 1 || *number > (1 << 20)) return std::nullopt;
    count *= *number;
  }
  return count;
}

// "struct __align__(8) P" is P.
std::string plain_type(const std::string& c_type) {
  const std::size_t last = c_type.rfind(' ');
  const bool is_tagged = c_type.starts_with("struct ") || c_type.starts_with("const ");
  return is_tagged ? c_type.substr(last + 1) : c_type;
}

std::optional<FoundMember> member_of(Tokens declared, const std::string& base,
                                     const NamesOfTypes& names) {
  FoundArgument read = argument_of(declared, names.aliases);
  if (!base.empty()) read.c_type = base;
  const auto count = count_of(declared, names);
  if (!count || !read.is_plain) return std::nullopt;
  FoundMember out{read.name, {}, {}, *count, false, 1};
  const Tokens plain = part_before(declared, "[");
  if (read.name.empty() && !plain.empty()) out.name = plain.back().text;
  const std::string type = plain_type(read.c_type);
  const auto element = element_type(type);
  if (mentions(declared, "*")) {
    out.type = "pointer";
    out.pointee = type;
  } else if (element) {
    out.type = element->lanes > 1 || type == "bool" ? type : element->name;
    out.is_number = true;
    out.lanes = element->lanes;
  } else if (names.records.contains(type)) {
    out.type = type;
  } else {
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::vector<Enumerator> enumerators_of(Tokens body, const NamesOfTypes& names) {
  std::vector<Enumerator> out;
  std::int64_t next = 0;
  for (const Tokens piece : pieces_between_commas(body)) {
    if (const Tokens set = part_behind(piece, "="); !set.empty()) {
      const auto text = plain_text(set, names);
      const auto value = text ? constant_value(*text) : std::nullopt;
      if (!value) break;
      next = *value;
    }
    if (piece.empty()) break;
    out.push_back({std::string(piece.front().text), next++});
  }
  return out;
}

std::optional<FoundRecord> record_of(Tokens body, const NamesOfTypes& names) {
  if (mentions(body, "virtual")) return std::nullopt;
  FoundRecord out;
  for (const Tokens declared : member_declarations(body)) {
    if (is_one_of("static typedef using friend template", declared.front().text)) continue;
    if (mentions(declared, "union") || mentions(declared, ":") || mentions(declared, "{") ||
        mentions(declared, "&")) {
      return std::nullopt;
    }
    std::string base;
    for (const Tokens piece : pieces_between_commas(declared)) {
      const Tokens one = part_before(piece, "=");
      auto member = member_of(one, base, names);
      if (!member) return std::nullopt;
      if (base.empty()) base = argument_of(one, names.aliases).c_type;
      out.push_back(std::move(*member));
    }
  }
  return out;
}

}  // namespace tuner
