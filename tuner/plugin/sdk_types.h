#pragma once
// The facts that plugins know of each element type.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

enum class NumberKind : std::uint8_t { kFloat, kSigned, kUnsigned };

struct TypeFacts {
  tuner_type type;
  std::string_view name;  // in studies
  std::size_t bytes;
  NumberKind kind;
  std::string_view numpy;  // without the byte order; "V2": bytes without a meaning; empty: none
};

// All types, in the order of their numbers. The host compares them with its own
// (plugin/adapters_backend.cpp).
inline constexpr auto kTypes = std::to_array<TypeFacts>({
    {TUNER_FLOAT32, "float32", 4, NumberKind::kFloat, "f4"},
    {TUNER_FLOAT64, "float64", 8, NumberKind::kFloat, "f8"},
    {TUNER_FLOAT16, "float16", 2, NumberKind::kFloat, "f2"},
    {TUNER_BFLOAT16, "bfloat16", 2, NumberKind::kFloat, "V2"},
    {TUNER_INT8, "int8", 1, NumberKind::kSigned, "i1"},
    {TUNER_INT16, "int16", 2, NumberKind::kSigned, "i2"},
    {TUNER_INT32, "int32", 4, NumberKind::kSigned, "i4"},
    {TUNER_INT64, "int64", 8, NumberKind::kSigned, "i8"},
    {TUNER_UINT8, "uint8", 1, NumberKind::kUnsigned, "u1"},
    {TUNER_UINT16, "uint16", 2, NumberKind::kUnsigned, "u2"},
    {TUNER_UINT32, "uint32", 4, NumberKind::kUnsigned, "u4"},
    {TUNER_UINT64, "uint64", 8, NumberKind::kUnsigned, "u8"},
    {TUNER_FLOAT8_E4M3, "float8_e4m3", 1, NumberKind::kFloat, ""},
    {TUNER_FLOAT8_E5M2, "float8_e5m2", 1, NumberKind::kFloat, ""},
});

// An Error for a number that is no type.
inline const TypeFacts& facts_of(std::uint32_t type) {
  if (type >= kTypes.size()) {
    throw Error(TUNER_INVALID, "there is no type " + std::to_string(type));
  }
  return kTypes[type];
}

}  // namespace tuner::sdk
