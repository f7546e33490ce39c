#pragma once
// Element types of kernel arguments: all that the program knows of each stands in its row here.

#include <array>
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

enum class NumberKind : std::uint8_t { kFloat, kSigned, kUnsigned };

// The usual tolerance of an output for which the study gives none: `atol` is a share of the size of
// its numbers.
struct UsualTolerance {
  double rtol;
  double atol;
};

// Facts that only floats have; for whole numbers all are 0.
struct FloatFacts {
  int exponent;          // bits
  int mantissa;          // bits that are stored
  bool has_infinity;     // where not, the last pattern alone of the last exponent is no number
  UsualTolerance usual;  // of sums in the type's own precision; of 8 bits a step of the last bit
  std::string_view drafted_rtol;  // in a first study, where sums in another order were tried
  double rounding;  // as a share of the largest value: some units in the last place, or more
  double reach;     // how far large and tiny inputs are from usual ones: half has little room
};
inline constexpr FloatFacts kWholeNumbers{0, 0, false, {0, 0}, "0", 0, 0};

// Everything that the program knows of one type. Lists of words have blanks between them; where
// there is no such word the text is empty. A row that lacks a field does not compile.
struct TypeFacts {
  DataType type;
  std::string_view name;   // in studies, results and messages
  std::string_view alias;  // also taken in studies
  std::size_t bytes;
  NumberKind kind;
  FloatFacts as_float;
  std::string_view spellings;    // words of C and CUDA, where whole numbers are "uint" or "long"
  std::string_view vectors;      // words that name a vector with 1 to 4 behind them
  std::string_view pairs;        // words for two of it
  std::string_view cuda;         // its name in an exported launcher
  std::string_view cuda_vector;  // that of vectors, whose number of lanes follows unless it ends so
  std::string_view cuda_header;  // which declares it
  std::string_view map;          // CU_TENSOR_MAP_DATA_TYPE_..., which only moves the numbers
  std::string_view numpy;        // without the byte order; two bytes without a meaning are "V2"
  bool has_textures;             // and surfaces
};

// All types, in the order of their numbers.
// clang-format off
inline constexpr auto kDataTypes = std::to_array<TypeFacts>({
    {.type = DataType::kFloat32, .name = "float32", .alias = "float",
     .bytes = 4, .kind = NumberKind::kFloat,
     .as_float = {.exponent = 8, .mantissa = 23, .has_infinity = true, .usual = {1e-4, 1e-4},
                  .drafted_rtol = "1e-4", .rounding = 1e-3, .reach = 4096},
     .spellings = "float", .vectors = "float", .pairs = "cuComplex cuFloatComplex cufftComplex",
     .cuda = "float", .cuda_vector = "float", .cuda_header = "",
     .map = "FLOAT32", .numpy = "f4", .has_textures = true},
    {.type = DataType::kFloat64, .name = "float64", .alias = "double",
     .bytes = 8, .kind = NumberKind::kFloat,
     .as_float = {.exponent = 11, .mantissa = 52, .has_infinity = true, .usual = {1e-10, 1e-10},
                  .drafted_rtol = "1e-9", .rounding = 1e-3, .reach = 4096},
     .spellings = "double", .vectors = "double", .pairs = "cuDoubleComplex cufftDoubleComplex",
     .cuda = "double", .cuda_vector = "double", .cuda_header = "",
     .map = "FLOAT64", .numpy = "f8", .has_textures = false},
    {.type = DataType::kFloat16, .name = "float16", .alias = "half",
     .bytes = 2, .kind = NumberKind::kFloat,
     .as_float = {.exponent = 5, .mantissa = 10, .has_infinity = true, .usual = {1e-2, 1e-3},
                  .drafted_rtol = "1e-2", .rounding = 0x1p-8, .reach = 16},
     .spellings = "half __half", .vectors = "half", .pairs = "__half2",
     .cuda = "__half", .cuda_vector = "__half2", .cuda_header = "cuda_fp16.h",
     .map = "FLOAT16", .numpy = "f2", .has_textures = true},
    {.type = DataType::kBFloat16, .name = "bfloat16", .alias = "bf16",
     .bytes = 2, .kind = NumberKind::kFloat,
     .as_float = {.exponent = 8, .mantissa = 7, .has_infinity = true, .usual = {5e-2, 1e-2},
                  .drafted_rtol = "1e-2", .rounding = 0x1p-6, .reach = 4096},
     .spellings = "__nv_bfloat16 nv_bfloat16 bfloat16",
     .vectors = "", .pairs = "__nv_bfloat162 nv_bfloat162",
     .cuda = "__nv_bfloat16", .cuda_vector = "__nv_bfloat162", .cuda_header = "cuda_bf16.h",
     .map = "BFLOAT16", .numpy = "V2", .has_textures = false},
    {.type = DataType::kInt8, .name = "int8", .alias = "char",
     .bytes = 1, .kind = NumberKind::kSigned, .as_float = kWholeNumbers,
     .spellings = "char int8_t", .vectors = "char", .pairs = "",
     .cuda = "std::int8_t", .cuda_vector = "char", .cuda_header = "",
     .map = "UINT8", .numpy = "i1", .has_textures = true},
    {.type = DataType::kInt16, .name = "int16", .alias = "short",
     .bytes = 2, .kind = NumberKind::kSigned, .as_float = kWholeNumbers,
     .spellings = "short int16_t", .vectors = "short", .pairs = "",
     .cuda = "std::int16_t", .cuda_vector = "short", .cuda_header = "",
     .map = "UINT16", .numpy = "i2", .has_textures = true},
    {.type = DataType::kInt32, .name = "int32", .alias = "int",
     .bytes = 4, .kind = NumberKind::kSigned, .as_float = kWholeNumbers,
     .spellings = "int int32_t", .vectors = "int", .pairs = "",
     .cuda = "std::int32_t", .cuda_vector = "int", .cuda_header = "",
     .map = "INT32", .numpy = "i4", .has_textures = true},
    {.type = DataType::kInt64, .name = "int64", .alias = "long",
     .bytes = 8, .kind = NumberKind::kSigned, .as_float = kWholeNumbers,
     .spellings = "long longlong int64_t ptrdiff_t ssize_t intptr_t clock_t time_t",
     .vectors = "long longlong", .pairs = "",
     .cuda = "std::int64_t", .cuda_vector = "longlong", .cuda_header = "",
     .map = "INT64", .numpy = "i8", .has_textures = false},
    {.type = DataType::kUInt8, .name = "uint8", .alias = "uchar",
     .bytes = 1, .kind = NumberKind::kUnsigned, .as_float = kWholeNumbers,
     .spellings = "uchar uint8_t bool byte u_char u_int8_t", .vectors = "uchar", .pairs = "",
     .cuda = "std::uint8_t", .cuda_vector = "uchar", .cuda_header = "",
     .map = "UINT8", .numpy = "u1", .has_textures = true},
    {.type = DataType::kUInt16, .name = "uint16", .alias = "ushort",
     .bytes = 2, .kind = NumberKind::kUnsigned, .as_float = kWholeNumbers,
     .spellings = "ushort uint16_t u_short u_int16_t", .vectors = "ushort", .pairs = "",
     .cuda = "std::uint16_t", .cuda_vector = "ushort", .cuda_header = "",
     .map = "UINT16", .numpy = "u2", .has_textures = true},
    {.type = DataType::kUInt32, .name = "uint32", .alias = "uint",
     .bytes = 4, .kind = NumberKind::kUnsigned, .as_float = kWholeNumbers,
     .spellings = "uint uint32_t u_int u_int32_t", .vectors = "uint", .pairs = "",
     .cuda = "std::uint32_t", .cuda_vector = "uint", .cuda_header = "",
     .map = "UINT32", .numpy = "u4", .has_textures = true},
    {.type = DataType::kUInt64, .name = "uint64", .alias = "ulong",
     .bytes = 8, .kind = NumberKind::kUnsigned, .as_float = kWholeNumbers,
     .spellings = "ulong ulonglong u_long u_int64_t uint64_t size_t uintptr_t",
     .vectors = "ulong ulonglong", .pairs = "",
     .cuda = "std::uint64_t", .cuda_vector = "ulonglong", .cuda_header = "",
     .map = "UINT64", .numpy = "u8", .has_textures = false},
    {.type = DataType::kFloat8E4M3, .name = "float8_e4m3", .alias = "fp8_e4m3",
     .bytes = 1, .kind = NumberKind::kFloat,
     .as_float = {.exponent = 4, .mantissa = 3, .has_infinity = false, .usual = {0.13, 2e-3},
                  .drafted_rtol = "0", .rounding = 0x1p-2, .reach = 4},
     .spellings = "__nv_fp8_e4m3", .vectors = "", .pairs = "",
     .cuda = "__nv_fp8_e4m3", .cuda_vector = "", .cuda_header = "cuda_fp8.h",
     .map = "UINT8", .numpy = "", .has_textures = false},
    {.type = DataType::kFloat8E5M2, .name = "float8_e5m2", .alias = "fp8_e5m2",
     .bytes = 1, .kind = NumberKind::kFloat,
     .as_float = {.exponent = 5, .mantissa = 2, .has_infinity = true, .usual = {0.26, 2e-3},
                  .drafted_rtol = "0", .rounding = 0x1p-1, .reach = 4},
     .spellings = "__nv_fp8_e5m2", .vectors = "", .pairs = "",
     .cuda = "__nv_fp8_e5m2", .cuda_vector = "", .cuda_header = "cuda_fp8.h",
     .map = "UINT8", .numpy = "", .has_textures = false},
});
// clang-format on

constexpr const TypeFacts& facts_of(DataType type) {
  return kDataTypes.at(static_cast<std::size_t>(type));
}
constexpr std::size_t size_of(DataType type) { return facts_of(type).bytes; }
constexpr bool is_floating(DataType type) { return facts_of(type).kind == NumberKind::kFloat; }
constexpr bool is_signed(DataType type) { return facts_of(type).kind == NumberKind::kSigned; }
constexpr std::string_view name_of(DataType type) { return facts_of(type).name; }

// Each row stands where its type's number looks for it, and a float has as many bits as its parts.
static_assert([] {
  for (std::size_t i = 0; i < kDataTypes.size(); ++i) {
    const TypeFacts& one = kDataTypes[i];
    const int bits = 1 + one.as_float.exponent + one.as_float.mantissa;
    if (one.type != static_cast<DataType>(i)) return false;
    if (bits != (is_floating(one.type) ? 8 * static_cast<int>(one.bytes) : 1)) return false;
  }
  return true;
}());

// Also accepts the C names "float", "double", "int", "half", ...
std::optional<DataType> data_type_named(std::string_view name);
std::vector<std::string> data_type_names();

// The bytes of one scalar of this type holding `value`; wrong ranges are clamped by the caller.
std::vector<std::byte> scalar_bytes(DataType type, double value);
std::vector<std::byte> scalar_bytes(DataType type, std::int64_t value);

}  // namespace tuner
