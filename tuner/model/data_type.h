#pragma once
// Element types of kernel arguments.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// Element types of kernel arguments. The numbers cross the plugin boundary: append only.
enum class DataType : std::uint32_t {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kBFloat16 = 3,
  kInt8 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kUInt8 = 8,
  kUInt16 = 9,
  kUInt32 = 10,
  kUInt64 = 11,
  kFloat8E4M3 = 12,
  kFloat8E5M2 = 13,
};

std::size_t size_of(DataType type);  // bytes
bool is_floating(DataType type);
std::string_view name_of(DataType type);  // "float32"
// Also accepts the C names "float", "double", "int", "half", ...
std::optional<DataType> data_type_named(std::string_view name);
std::vector<std::string> data_type_names();

// The bytes of one scalar of this type holding `value`; wrong ranges are clamped by the caller.
std::vector<std::byte> scalar_bytes(DataType type, double value);
std::vector<std::byte> scalar_bytes(DataType type, std::int64_t value);

}  // namespace tuner
