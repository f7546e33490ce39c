// Rules that tables of keys are made of: they say what a key of a study allows.

#include "tuner/study/keys.h"

#include <fmt/format.h>

#include <cmath>

namespace tuner {

namespace {

// 2, not 2.0.
Schema shortest(double value) {
  return value == std::floor(value) ? Schema(static_cast<std::int64_t>(value)) : Schema(value);
}

}  // namespace

bool NumberRange::holds(double value) const {
  if (value == 0 && *zero != '\0') return true;
  return (is_above ? value > low : value >= low) && (is_below ? value < high : value <= high);
}

std::string NumberRange::text() const {
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  if (!has_low && !has_high) return "a number";
  if (has_high && is_above) return fmt::format("between {} and {}", low, high);
  if (has_high) return fmt::format("from {} {} {}", low, is_below ? "and below" : "to", high);
  const std::string all = fmt::format("{} {}", is_above ? "above" : "at least", low);
  return *zero == '\0' ? all : fmt::format("{}, or 0 for {}", all, zero);
}

Schema NumberRange::schema(bool is_whole, std::optional<double> usual) const {
  Schema own{{"type", is_whole ? "integer" : "number"}};
  if (std::isfinite(low)) own[is_above ? "exclusiveMinimum" : "minimum"] = shortest(low);
  if (std::isfinite(high)) own[is_below ? "exclusiveMaximum" : "maximum"] = shortest(high);
  if (*zero != '\0') own = {{"anyOf", Schema::array({{{"const", 0}}, own})}};
  if (usual && holds(*usual)) own["default"] = shortest(*usual);
  return own;
}

void OnlyWord::read(const Given& given, bool& out) const {
  out = given.node.is_scalar() && given.node.text == word;
  if (!out) given.node.error(fmt::format("'{}' can only be {}", given.key, word));
}

void AnyText::read(const Given& given, std::string& out) const {
  const auto text = read_text(given.node, given.quoted());
  if (text && !text->empty()) out = *text;
}

Schema AnyText::schema(const std::string& usual) const {
  Schema own{{"type", "string"}};
  if (!usual.empty()) own["default"] = usual;
  return own;
}

Schema OtherKey::schema() const {
  if (allows == "text") return {{"type", "string"}};
  if (allows.starts_with('{')) return Schema::parse(allows);
  return {{"$ref", fmt::format("#/definitions/{}", allows)}};
}

void add_schema(Schema& to, std::string_view json) { to.update(Schema::parse(json)); }

}  // namespace tuner
