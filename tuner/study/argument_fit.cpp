// Compares widths and kinds of numbers. What kernels do on purpose fits: bytes in the place of
// anything, other signs, the bits of 16-bit numbers, vectors of several numbers.

#include "tuner/study/argument_fit.h"

#include <algorithm>
#include <string_view>

#include "tuner/source/parameters.h"

namespace tuner {
namespace {

using TypeKind = ParameterType::Kind;

bool is_integer(DataType type) { return !is_floating(type); }

Fit wrong(std::string advice = {}) { return {Fit::Kind::kWrong, std::move(advice)}; }
Fit doubtful(std::string advice) { return {Fit::Kind::kDoubtful, std::move(advice)}; }

std::string type_advice(DataType type) { return "type: " + std::string(name_of(type)); }

// 16 bits that are no number to the kernel are often declared as integers.
bool are_bits(DataType a, DataType b) {
  return size_of(a) == 2 && size_of(b) == 2 && is_integer(a) != is_integer(b);
}

bool are_same(DataType a, DataType b) {
  return a == b || are_bits(a, b) || (size_of(a) == size_of(b) && is_integer(a) && is_integer(b));
}

constexpr const char* kNoTable = "a study gives flat buffers, no tables of pointers";
constexpr const char* kNoTexture = "a study gives buffers and numbers, no textures or surfaces";
constexpr const char* kNoStruct = "a study gives buffers and numbers, no structs by value";

Fit elements_fit(DataType given, const ParameterType& type) {
  if (type.kind != TypeKind::kNumbers) return {};
  const auto taken = data_type_named(type.element.name);
  if (!taken || are_same(given, *taken)) return {};
  if (type.element.lanes > 1) {
    const bool is_wide = bytes_of(type.element) >= 8 && (is_integer(*taken) || size_of(given) <= 2);
    return is_wide ? Fit{} : doubtful("right only if the kernel takes them for other numbers");
  }
  const bool packs = is_integer(*taken) && size_of(given) < size_of(*taken);
  if (packs || given == DataType::kUInt8) {
    return doubtful("right only if the kernel takes several of them at once");
  }
  return wrong(type_advice(*taken));
}

Fit buffer_fit(const ArgumentSpec& argument, const ParameterType& type) {
  const bool is_address = size_of(argument.type) == 8 && is_integer(argument.type);
  if (type.pointers > 1) return is_address ? Fit{} : wrong(kNoTable);
  if (type.pointers == 1) return elements_fit(argument.type, type);
  switch (type.kind) {
    case TypeKind::kHandle:
      return wrong(kNoTexture);
    case TypeKind::kStruct:
      return type.bytes > sizeof(void*) ? wrong(kNoStruct) : doubtful(kNoStruct);
    case TypeKind::kNumbers:
      if (type.element.name == "uint64") return {};
      if (bytes_of(type.element) != sizeof(void*)) return wrong("a number has a 'value'");
      return doubtful("right only if the kernel takes it for an address");
    case TypeKind::kBytes:
    case TypeKind::kUnknown:
      break;
  }
  return {};
}

Fit number_fit(DataType given, const ParameterType& type) {
  const bool is_word = size_of(given) == sizeof(void*) && is_integer(given);
  if (type.pointers > 0) return is_word ? Fit{} : wrong("a buffer has a 'shape'");
  switch (type.kind) {
    case TypeKind::kHandle:
      return is_word ? Fit{} : wrong(kNoTexture);
    case TypeKind::kStruct:
      return type.bytes > size_of(given) ? wrong(kNoStruct) : doubtful(kNoStruct);
    case TypeKind::kNumbers:
      break;
    case TypeKind::kBytes:
    case TypeKind::kUnknown:
      return {};
  }
  const auto taken = data_type_named(type.element.name);
  const bool as_wide = bytes_of(type.element) == size_of(given);
  if (!taken || are_same(given, *taken)) {
    return as_wide ? Fit{} : wrong("a study gives buffers and numbers, no vectors by value");
  }
  if (type.element.lanes > 1 && as_wide) return {};
  return wrong(type.element.lanes > 1 ? "" : type_advice(*taken));
}

Fit fit_of(const ArgumentSpec& argument, const ParameterType& type) {
  if (argument.map) {
    const bool is_number = type.pointers > 0 || type.kind == TypeKind::kNumbers;
    return is_number ? wrong("a map is taken as 'const __grid_constant__ CUtensorMap'") : Fit{};
  }
  return argument.is_scalar ? number_fit(argument.type, type) : buffer_fit(argument, type);
}

}  // namespace

Fit fit_of(const ArgumentSpec& argument, const SignatureParameter& parameter) {
  Fit best = wrong();
  for (const ParameterType& type : parameter.types) {
    Fit one = fit_of(argument, type);
    const bool first = &type == &parameter.types.front();
    if (first || one.kind < best.kind) best = std::move(one);
  }
  return best;
}

}  // namespace tuner
