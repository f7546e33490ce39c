// Compares widths and kinds of numbers. What kernels do on purpose fits: bytes in the place of
// anything, other signs, the bits of 16-bit numbers, vectors of several numbers.

#include "tuner/check/signature_check.h"
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

constexpr const char* kNoTable = "a table of addresses is 'pointers: [a, b]'";
constexpr const char* kNoStruct = "a struct's members are said in 'types'";

bool is_surface(const ParameterType& type) { return type.c_type.find("urf") != std::string::npos; }

// Rejects the argument, naming the study key that makes the texture or surface to pass.
Fit no_handle(const ParameterType& type) {
  return wrong(is_surface(type) ? "surface: {of: BUFFER}" : "texture: {of: BUFFER}");
}

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
      return no_handle(type);
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
      return is_word ? Fit{} : no_handle(type);
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
    return as_wide ? Fit{} : wrong("type: a vector, value: [x, y, ...]");
  }
  if (type.element.lanes > 1 && as_wide) return {};
  return wrong(type.element.lanes > 1 ? "" : type_advice(*taken));
}

std::string bytes_text(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

// A struct or a vector by value, or a buffer of structs; an address; a table of addresses.
Fit record_fit(const ArgumentSpec& argument, const ParameterType& type) {
  const RecordSpec& record = *argument.record;
  const int wanted = is_table(argument) ? 2 : !argument.is_scalar || record.type.empty() ? 1 : 0;
  if (type.kind == TypeKind::kUnknown) return {};
  if (is_texture(argument)) {
    const bool is_word = type.pointers == 0 && type.kind == TypeKind::kNumbers &&
                         bytes_of(type.element) == sizeof(void*);
    const bool gives_surface = record.members.front().texture->kind == TextureView::Kind::kSurface;
    if (type.kind == TypeKind::kHandle) {
      return is_surface(type) == gives_surface ? Fit{} : no_handle(type);
    }
    return is_word ? Fit{} : wrong(gives_surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t");
  }
  if (type.kind == TypeKind::kHandle) return no_handle(type);
  if (wanted == 1 && record.type.empty()) {
    return type.pointers > 0 ? Fit{} : wrong("null and 'buffer' are addresses");
  }
  if (type.pointers != wanted) return wrong();
  if (wanted == 2) return {};
  std::size_t taken = type.bytes;
  if (type.kind == TypeKind::kNumbers) taken = bytes_of(type.element);
  if (type.kind == TypeKind::kBytes || taken == 0) return {};
  const bool is_exact = type.kind == TypeKind::kNumbers;
  if (is_exact ? taken == record.bytes : taken <= record.bytes) return {};
  return wrong("it has " + bytes_text(record.bytes) + ", the kernel's " +
               (is_exact ? "" : "at least ") + bytes_text(taken));
}

Fit fit_of(const ArgumentSpec& argument, const ParameterType& type) {
  if (argument.map) {
    const bool is_number = type.pointers > 0 || type.kind == TypeKind::kNumbers;
    return is_number ? wrong("a map is taken as 'const __grid_constant__ CUtensorMap'") : Fit{};
  }
  if (argument.record) return record_fit(argument, type);
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
