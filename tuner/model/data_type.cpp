// Names and sizes of the element types, and the conversion of values into their bytes.

#include "tuner/model/data_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace tuner {
namespace {

struct Row {
  DataType type;
  std::string_view name;
  std::string_view alias;
  std::size_t size;
};

constexpr std::array<Row, 14> kRows{{{DataType::kFloat32, "float32", "float", 4},
                                     {DataType::kFloat64, "float64", "double", 8},
                                     {DataType::kFloat16, "float16", "half", 2},
                                     {DataType::kBFloat16, "bfloat16", "bf16", 2},
                                     {DataType::kInt8, "int8", "char", 1},
                                     {DataType::kInt16, "int16", "short", 2},
                                     {DataType::kInt32, "int32", "int", 4},
                                     {DataType::kInt64, "int64", "long", 8},
                                     {DataType::kUInt8, "uint8", "uchar", 1},
                                     {DataType::kUInt16, "uint16", "ushort", 2},
                                     {DataType::kUInt32, "uint32", "uint", 4},
                                     {DataType::kUInt64, "uint64", "ulong", 8},
                                     {DataType::kFloat8E4M3, "float8_e4m3", "fp8_e4m3", 1},
                                     {DataType::kFloat8E5M2, "float8_e5m2", "fp8_e5m2", 1}}};

const Row& row_of(DataType type) { return kRows.at(static_cast<std::size_t>(type)); }

// Round to nearest even. Subnormals and overflow follow IEEE 754 binary16.
std::uint16_t half_bits(double value) {
  const auto f = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(f);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  if (std::isnan(f)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  const double magnitude = std::fabs(static_cast<double>(f));
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < std::ldexp(1.0, -14)) {
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  }
  int exponent = 0;
  const double mantissa = std::frexp(magnitude, &exponent);  // [0.5, 1)
  auto m = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(mantissa, 11)));
  if (m == 2048) {
    m = 1024;
    ++exponent;
  }
  return static_cast<std::uint16_t>(
      sign | ((static_cast<std::uint32_t>(exponent + 14) << 10) + (m - 1024)));
}

std::uint16_t bfloat_bits(double value) {
  const auto f = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(f);
  if (std::isnan(f)) return 0x7FC0;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

// Rounded to nearest even; what is too large becomes `largest`, as in CUDA's conversions ("OCP
// 8-bit Floating Point Specification").
std::uint8_t fp8_bits(double value, int mantissa, int bias, double largest) {
  if (std::isnan(value)) return 0x7F;
  const int sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::min(std::fabs(value), largest);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int normal = magnitude == 0 ? 1 - bias : std::max(exponent - 1, 1 - bias);
  const auto scaled = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissa - normal)));
  // A normal number's leading bit adds 1 to the exponent field; so does rounding up.
  const int field = (normal + bias - 1) * (1 << mantissa);
  return static_cast<std::uint8_t>(sign | (field + scaled));
}

template <typename T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

template <typename Number>
std::vector<std::byte> convert(DataType type, Number value) {
  switch (type) {
    case DataType::kFloat32:
      return bytes_of(static_cast<float>(value));
    case DataType::kFloat64:
      return bytes_of(static_cast<double>(value));
    case DataType::kFloat16:
      return bytes_of(half_bits(static_cast<double>(value)));
    case DataType::kBFloat16:
      return bytes_of(bfloat_bits(static_cast<double>(value)));
    case DataType::kFloat8E4M3:
      return bytes_of(fp8_bits(static_cast<double>(value), 3, 7, 448));
    case DataType::kFloat8E5M2:
      return bytes_of(fp8_bits(static_cast<double>(value), 2, 15, 57344));
    case DataType::kInt8:
      return bytes_of(static_cast<std::int8_t>(value));
    case DataType::kInt16:
      return bytes_of(static_cast<std::int16_t>(value));
    case DataType::kInt32:
      return bytes_of(static_cast<std::int32_t>(value));
    case DataType::kInt64:
      return bytes_of(static_cast<std::int64_t>(value));
    case DataType::kUInt8:
      return bytes_of(static_cast<std::uint8_t>(value));
    case DataType::kUInt16:
      return bytes_of(static_cast<std::uint16_t>(value));
    case DataType::kUInt32:
      return bytes_of(static_cast<std::uint32_t>(value));
    case DataType::kUInt64:
      return bytes_of(static_cast<std::uint64_t>(value));
  }
  return {};
}

}  // namespace

std::size_t size_of(DataType type) { return row_of(type).size; }
bool is_floating(DataType type) {
  return type <= DataType::kBFloat16 || type >= DataType::kFloat8E4M3;
}
std::string_view name_of(DataType type) { return row_of(type).name; }

std::optional<DataType> data_type_named(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name || row.alias == name) return row.type;
  }
  return std::nullopt;
}

std::vector<std::string> data_type_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

std::vector<std::byte> scalar_bytes(DataType type, double value) { return convert(type, value); }
std::vector<std::byte> scalar_bytes(DataType type, std::int64_t value) {
  return convert(type, value);
}

}  // namespace tuner
