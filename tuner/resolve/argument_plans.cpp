// Evaluates the expressions of launches and arguments: values, shapes, boxes of maps.

#include "tuner/resolve/argument_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"

namespace tuner {

// ---- values of expressions ----------------------------------------------------------------------

bool varies(const Expression& expression, const Bindings& names) {
  return std::any_of(expression.names().begin(), expression.names().end(),
                     [&](const std::string& name) { return !names.contains(name); });
}

namespace {

bool any_varies(const std::vector<Expression>& all, const Bindings& names) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Expression& one) { return varies(one, names); });
}

}  // namespace

bool varies(const ArgumentSpec& argument, const Bindings& names) {
  const auto is_open = [&](const std::string& name) { return !names.contains(name); };
  if (std::ranges::any_of(argument.chosen_by, is_open)) return true;
  if (argument.record && argument.is_scalar) {
    return std::ranges::any_of(argument.record->members, [&](const MemberSpec& member) {
      return varies(member.value, names);
    });
  }
  if (argument.map) {
    const TensorMapSpec& map = *argument.map;
    return any_varies(map.extents, names) || any_varies(map.box, names) ||
           varies(map.swizzle, names);
  }
  if (argument.is_scalar) return varies(argument.value, names);
  return any_varies(argument.shape, names);
}

Expected<Value, std::string> value_of(const Expression& expression, const Bindings& names,
                                      const std::string& what) {
  auto value = expression.evaluate(names);
  if (value) return *value;
  return Unexpected{fmt::format("{} '{}': {}", what, expression.text(), value.error().message)};
}

Expected<std::uint64_t, std::string> whole(const Expression& expression, const Bindings& names,
                                           const std::string& what, const WholeRange& range) {
  if (expression.empty()) return range.fallback;
  const Value value = TUNER_TRY(value_of(expression, names, what));
  std::int64_t number = -1;
  const double real = to_number(value);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = *integer;
  } else if (!std::holds_alternative<bool>(value) && real >= 0 && real < 0x1p63 &&
             real == std::floor(real)) {
    number = static_cast<std::int64_t>(real);
  }
  if (number >= 0 && static_cast<std::uint64_t>(number) >= range.low &&
      static_cast<std::uint64_t>(number) <= range.high) {
    return static_cast<std::uint64_t>(number);
  }
  return Unexpected{fmt::format("{} '{}' is {}, must be a whole number from {} to {}", what,
                                expression.text(), to_text(value), range.low, range.high)};
}

std::string cpp_text(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  return to_text(value);
}

namespace {

// Length of the name in "{name}" at the start of `text`, 0 when that is not what stands there.
std::size_t placeholder_length(std::string_view text) {
  if (text.size() < 3 || std::isdigit(static_cast<unsigned char>(text[1]))) return 0;
  std::size_t end = 1;
  while (end < text.size() && (is_word_part(text[end]) || text[end] == '.')) ++end;
  return end < text.size() && text[end] == '}' ? end - 1 : 0;
}

}  // namespace

Expected<std::string, std::string> substitute(const std::string& text, const Bindings& names) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t length =
        text[i] == '{' ? placeholder_length(std::string_view(text).substr(i)) : 0;
    if (length == 0) {
      out += text[i];
      continue;
    }
    const std::string name = text.substr(i + 1, length);
    const auto found = names.find(name);
    if (found == names.end()) {
      return Unexpected{fmt::format("'{}' has no value for {{{}}}", text, name)};
    }
    out += cpp_text(found->second);
    i += length + 1;
  }
  return out;
}

std::optional<std::string> plan_fill(const Bindings& names, FillSpec& fill) {
  const Expression rule = fill.rule;
  fill.rule = {};
  if (rule.empty()) return std::nullopt;
  if (fill.kind == FillSpec::Kind::kFormula) {
    fill.formula = rule.text();
    for (const std::string& name : rule.names()) {
      const auto found = names.find(name);
      if (name == "i" || found == names.end()) continue;
      if (const auto* extent = std::get_if<std::int64_t>(&found->second)) {
        fill.names.emplace_back(name, *extent);
      }
    }
    return std::nullopt;
  }
  const auto value = rule.evaluate(names);
  if (!value) return value.error().message;
  fill.b = to_number(*value);
  if (!(std::fabs(fill.b) <= 0x1p53) || fill.b != std::floor(fill.b)) {
    return to_text(*value) + " is no whole number of elements";
  }
  return std::nullopt;
}

// ---- arguments ----------------------------------------------------------------------------------

TextureView view_of(const TextureSpec& spec, const ArgumentSpec& target,
                    const std::vector<std::uint64_t>& extents) {
  TextureView view;
  view.type = target.type;
  view.lanes = static_cast<std::uint32_t>(target.lanes);
  view.filter = spec.filter;
  view.outside = spec.outside;
  view.normalized = spec.normalized;
  view.as_floats = spec.as_floats;
  view.kind = spec.kind;
  const std::size_t rank = target.shape.size();  // those of an element's numbers may follow
  view.width = extents[rank - 1];
  if (rank > 1) view.height = extents[rank - 2];
  if (rank > 2) view.depth = extents[rank - 3];
  return view;
}

namespace {

// Finds arrays that are too large for the devices of compute capability 7.5 and later.
std::optional<std::string> array_fault(const TextureView& view) {
  const bool is_surface = view.kind == TextureView::Kind::kSurface;
  std::array<std::uint64_t, 3> most{is_surface ? 32768U : 131072U, 0, 0};
  if (view.height > 0) most = {131072, 65536, 0};
  if (view.depth > 0) most = {16384, 16384, 16384};
  const std::array<std::uint64_t, 3> extents{view.width, view.height, view.depth};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= most[i]) continue;
    return fmt::format("{} has {} elements in {}, and an array of its extents at most {}",
                       is_surface ? "a surface" : "a texture", extents[i], "xyz"[i], most[i]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> texture_fault(const TextureView& view) {
  constexpr std::uint64_t kRows = 32;  // what all devices ask of rows
  if (view.is_over_array()) return array_fault(view);
  const std::uint64_t row = view.width * view.lanes * size_of(view.type);
  if (view.height == 0 || row % kRows == 0) return std::nullopt;
  return fmt::format("rows of a texture are multiples of {} bytes, and these have {}", kRows, row);
}

namespace {

// Limits of one buffer: those of a study, and what is added to each, do not pass 2^64 together.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 60;

Expected<std::vector<std::byte>, std::string> number_bytes(DataType type,
                                                           const Expression& expression,
                                                           const Bindings& names,
                                                           const std::string& what) {
  const Value value = TUNER_TRY(value_of(expression, names, what));
  if (std::holds_alternative<std::string>(value)) {
    return Unexpected{fmt::format("{} '{}' is text, must be a number", what, expression.text())};
  }
  const double real = to_number(value);
  if (is_floating(type)) return scalar_bytes(type, real);
  const int bits = static_cast<int>(size_of(type)) * 8 - (is_signed(type) ? 1 : 0);
  const double limit = std::ldexp(1.0, bits);  // exclusive
  const auto* integer = std::get_if<std::int64_t>(&value);
  // The doubles next to 2^63 and 2^64 round up, but every int64 is in range there anyway.
  const bool fits = (integer != nullptr && bits >= 63) ||
                    (real == std::floor(real) && real >= -limit && real < limit);
  if (!fits || (!is_signed(type) && real < 0)) {
    return Unexpected{fmt::format("{} '{}' is {}, does not fit {}", what, expression.text(),
                                  to_text(value), name_of(type))};
  }
  return scalar_bytes(type, integer != nullptr ? *integer : static_cast<std::int64_t>(real));
}

Expected<ArgumentPlan, std::string> with_shape(const ArgumentSpec& spec, const Bindings& names,
                                               ArgumentPlan plan) {
  const std::uint64_t most = kMostBytes / (size_of(spec.type) * std::max(1U, unsigned(spec.lanes)));
  plan.elements = 1;
  for (const Expression& extent : spec.shape) {
    const std::uint64_t value =
        TUNER_TRY(whole(extent, names, "the shape of " + spec.name, {1, 1, kMostElements}));
    if (plan.elements > most / value) {
      return Unexpected{fmt::format("{} has more than 2^60 bytes", spec.name)};
    }
    plan.elements *= value;
    plan.extents.push_back(value);
  }
  if (spec.lanes == 1) return plan;
  plan.extents.push_back(static_cast<std::uint64_t>(spec.lanes));
  plan.elements *= plan.extents.back();
  return plan;
}

// Empty where the configuration decides, or there is none.
std::optional<ArgumentPlan> measured(const ArgumentSpec& spec, const Bindings& names) {
  if (varies(spec, names)) return std::nullopt;
  auto plan = with_shape(spec, names, {});
  return plan ? std::optional(std::move(*plan)) : std::nullopt;
}

// The address that a member is. Of a buffer whose size the configuration decides, only the
// beginning is sure to be there.
Expected<AddressPlan, std::string> address_plan(const std::string& who, const MemberSpec& member,
                                                const std::vector<ArgumentSpec>& arguments,
                                                const Bindings& names) {
  const auto of = position_of(arguments, member.of, names);
  if (!of) return Unexpected{fmt::format("{}: there is no buffer '{}'", who, member.of)};
  const ArgumentSpec& target = arguments[*of];
  const auto known = measured(target, names);
  const auto lanes = static_cast<std::uint64_t>(target.lanes);
  const std::uint64_t most = known ? known->elements / lanes : kMostElements;
  const std::uint64_t behind =
      TUNER_TRY(whole(member.value, names, "the offset of " + who, {0, 0, most}));
  AddressPlan plan{member.offset, *of, behind * lanes * size_of(target.type)};
  if (!member.texture) return plan;
  if (!known) return Unexpected{fmt::format("{}: '{}' has no fixed extents", who, member.of)};
  plan.texture = view_of(*member.texture, target, known->extents);
  if (auto wrong = texture_fault(*plan.texture)) return Unexpected{who + ": " + *wrong};
  return plan;
}

// The bytes of a struct, a vector, an address, a table of addresses.
Expected<ArgumentPlan, std::string> with_record(const ArgumentSpec& spec,
                                                const std::vector<ArgumentSpec>& arguments,
                                                const Bindings& names, ArgumentPlan plan) {
  plan.scalar.assign(spec.record->bytes, std::byte{});
  for (const MemberSpec& member : spec.record->members) {
    const std::string who = member.path.empty() ? spec.name : spec.name + "." + member.path;
    if (member.is_address && member.of.empty()) continue;
    if (member.is_address) {
      plan.addresses.push_back(TUNER_TRY(address_plan(who, member, arguments, names)));
      continue;
    }
    const auto bytes = TUNER_TRY(number_bytes(member.type, member.value, names, who));
    std::ranges::copy(bytes, plan.scalar.begin() + static_cast<std::ptrdiff_t>(member.offset));
  }
  return plan;
}

// Plans the members of a buffer of structs. Padding and addresses are zeros.
std::vector<MemberPlan> member_plans(const RecordSpec& record) {
  std::vector<MemberPlan> plans;
  for (const MemberSpec& member : record.members) {
    if (member.is_address) continue;
    const std::uint64_t seed = hash_of(member.path).low;
    plans.push_back({member.path, member.offset, member.type, member.fill, seed});
  }
  return plans;
}

// Plans all of an argument but its value or size.
ArgumentPlan placeholder(const ArgumentSpec& spec) {
  ArgumentPlan plan;
  plan.name = spec.name;
  plan.type = spec.type;
  plan.is_scalar = spec.is_scalar;
  if (spec.is_scalar && !spec.map) plan.scalar.resize(size_of(spec.type));
  if (spec.is_scalar && spec.record) plan.scalar.resize(spec.record->bytes);
  if (!spec.is_scalar && spec.record) plan.members = member_plans(*spec.record);
  if (spec.map) plan.map.emplace();
  plan.role = spec.role;
  plan.fill = spec.fill;
  plan.zero = spec.zero;
  plan.seed = hash_of(spec.fill.same_as.empty() ? spec.name : spec.fill.same_as).low;
  return plan;
}

Expected<TensorMapPlan, std::string> map_plan(const ArgumentSpec& spec,
                                              const std::vector<ArgumentSpec>& arguments,
                                              const Bindings& names) {
  constexpr std::uint64_t kMostInBox = 256;  // the copy engine's limit
  const auto of = position_of(arguments, spec.map->of, names);
  if (!of) return Unexpected{fmt::format("{}: there is no argument '{}'", spec.name, spec.map->of)};
  TensorMapPlan plan;
  plan.of = *of;
  plan.map.type = arguments[*of].type;
  for (const Expression& extent : spec.map->extents) {
    plan.map.extents.push_back(
        TUNER_TRY(whole(extent, names, "the shape of " + spec.map->of, {1, 1, kMostElements})));
  }
  for (const Expression& extent : spec.map->box) {
    plan.map.box.push_back(static_cast<std::uint32_t>(
        TUNER_TRY(whole(extent, names, "the box of " + spec.name, {1, 1, kMostInBox}))));
  }
  const std::uint64_t swizzle =
      TUNER_TRY(whole(spec.map->swizzle, names, "the swizzle of " + spec.name, {0, 0, 128}));
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128) {
    return Unexpected{fmt::format("the swizzle of {} '{}' is {}, must be 0, 32, 64 or 128",
                                  spec.name, spec.map->swizzle.text(), swizzle)};
  }
  plan.map.swizzle = static_cast<std::uint32_t>(swizzle);
  return plan;
}

Expected<ArgumentPlan, std::string> with_contents(const ArgumentSpec& spec,
                                                  const std::vector<ArgumentSpec>& arguments,
                                                  const Bindings& names, ArgumentPlan plan) {
  plan = TUNER_TRY(with_shape(spec, names, std::move(plan)));
  if (is_table(spec)) plan = TUNER_TRY(with_record(spec, arguments, names, std::move(plan)));
  if (auto wrong = plan_fill(names, plan.fill)) return Unexpected{spec.name + ": " + *wrong};
  for (MemberPlan& member : plan.members) {
    if (auto wrong = plan_fill(names, member.fill)) {
      return Unexpected{spec.name + "." + member.path + ": " + *wrong};
    }
  }
  if (spec.fill.kind != FillSpec::Kind::kFile) return plan;
  plan.fill.file = TUNER_TRY(in_context(spec.name, substitute(spec.fill.file.string(), names)));
  return plan;
}

}  // namespace

Expected<ArgumentPlan, std::string> argument_plan(const ArgumentSpec& spec,
                                                  const std::vector<ArgumentSpec>& arguments,
                                                  const Bindings& names) {
  ArgumentPlan plan = placeholder(spec);
  if (spec.is_captured) {
    plan.scalar = spec.bytes;
  } else if (spec.map) {
    plan.map = TUNER_TRY(map_plan(spec, arguments, names));
  } else if (!spec.is_scalar) {
    return with_contents(spec, arguments, names, std::move(plan));
  } else if (spec.record) {
    return with_record(spec, arguments, names, std::move(plan));
  } else {
    plan.scalar = TUNER_TRY(number_bytes(spec.type, spec.value, names, spec.name));
  }
  return plan;
}

// No buffer, and no bytes.
ArgumentPlan idle_argument(const ArgumentSpec& spec) {
  ArgumentPlan plan;
  plan.name = spec.name;
  plan.is_scalar = true;
  return plan;
}

bool may_vary(const ArgumentSpec& spec) { return spec.is_scalar || is_working_space(spec.role); }

Expected<std::vector<ArgumentPlan>, std::string> argument_plans(
    const std::vector<ArgumentSpec>& specs, const std::vector<ArgumentSpec>& arguments,
    const Bindings& names) {
  std::vector<ArgumentPlan> plans;
  for (const ArgumentSpec& spec : specs) {
    if (!varies(spec, names)) {
      plans.push_back(TUNER_TRY(argument_plan(spec, arguments, names)));
      continue;
    }
    if (!may_vary(spec)) {
      return Unexpected{fmt::format(
          "the shape of {} depends on the parameters; only scratch's or a workspace's may",
          spec.name)};
    }
    plans.push_back(placeholder(spec));
    plans.back().varies = true;
  }
  return plans;
}

}  // namespace tuner
