// Finds element types by their names, and converts values into their bytes.

#include "tuner/model/data_type.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tuner {
namespace {

// The bits of a float of 8 or 16 bits, rounded to nearest even. What is too large becomes infinite
// as in IEEE 754; of 8 bits it becomes the largest number, and there is one NaN, as in CUDA's
// conversions ("OCP 8-bit Floating Point Specification").
std::uint16_t narrow_bits(double value, const TypeFacts& type) {
  const int exponent_bits = type.as_float.exponent;
  const int mantissa = type.as_float.mantissa;
  const bool is_byte = type.bytes == 1;
  if (!is_byte) value = static_cast<float>(value);
  const int sign = std::signbit(value) ? 1 << (exponent_bits + mantissa) : 0;
  const int infinity = ((1 << exponent_bits) - 1) << mantissa;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(is_byte ? 0x7F : sign | infinity | 1 << (mantissa - 1));
  }
  const double magnitude = std::min(std::fabs(value), std::numeric_limits<double>::max());
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int normal = magnitude == 0 ? 1 - bias : std::max(exponent - 1, 1 - bias);
  const auto scaled = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissa - normal)));
  // A normal number's leading bit adds 1 to the exponent field; so does rounding up.
  const int field = (normal + bias - 1) * (1 << mantissa);
  const int most = !is_byte ? infinity : type.as_float.has_infinity ? infinity - 1 : 0x7E;
  return static_cast<std::uint16_t>(sign | std::min(field + scaled, most));
}

template <typename T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

template <typename Number>
std::vector<std::byte> float_bytes(const TypeFacts& type, Number value) {
  const auto real = static_cast<double>(value);
  switch (type.bytes) {
    case 1:
      return bytes_of(static_cast<std::uint8_t>(narrow_bits(real, type)));
    case 2:
      return bytes_of(narrow_bits(real, type));
    case 4:
      return bytes_of(static_cast<float>(value));  // an integer is rounded once
    default:
      return bytes_of(real);
  }
}

template <typename Signed, typename Number>
std::vector<std::byte> whole_bytes(bool is_signed, Number value) {
  if (is_signed) return bytes_of(static_cast<Signed>(value));
  return bytes_of(static_cast<std::make_unsigned_t<Signed>>(value));
}

template <typename Number>
std::vector<std::byte> convert(DataType type, Number value) {
  const TypeFacts& facts = facts_of(type);
  if (is_floating(type)) return float_bytes(facts, value);
  switch (facts.bytes) {
    case 1:
      return whole_bytes<std::int8_t>(is_signed(type), value);
    case 2:
      return whole_bytes<std::int16_t>(is_signed(type), value);
    case 4:
      return whole_bytes<std::int32_t>(is_signed(type), value);
    default:
      return whole_bytes<std::int64_t>(is_signed(type), value);
  }
}

}  // namespace

std::optional<DataType> data_type_named(std::string_view name) {
  for (const TypeFacts& one : kDataTypes) {
    if (one.name == name || one.alias == name) return one.type;
  }
  return std::nullopt;
}

std::vector<std::string> data_type_names() {
  std::vector<std::string> names;
  for (const TypeFacts& one : kDataTypes) names.emplace_back(one.name);
  return names;
}

std::vector<std::byte> scalar_bytes(DataType type, double value) { return convert(type, value); }
std::vector<std::byte> scalar_bytes(DataType type, std::int64_t value) {
  return convert(type, value);
}

}  // namespace tuner
