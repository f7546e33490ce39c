// Compares files of numbers with what is wanted of them, and reads these.

#include "tuner/measure/data_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/measure/npy_file.h"

namespace tuner {
namespace {

using Failed = Unexpected<std::string>;

struct NpyType {
  const char* name;  // without the byte order, which is little
  DataType type;
};
// NumPy itself has no bfloat16; packages that have write two bytes without a meaning.
constexpr std::array<NpyType, 12> kTypes{{{"f4", DataType::kFloat32},
                                          {"f8", DataType::kFloat64},
                                          {"f2", DataType::kFloat16},
                                          {"V2", DataType::kBFloat16},
                                          {"i1", DataType::kInt8},
                                          {"i2", DataType::kInt16},
                                          {"i4", DataType::kInt32},
                                          {"i8", DataType::kInt64},
                                          {"u1", DataType::kUInt8},
                                          {"u2", DataType::kUInt16},
                                          {"u4", DataType::kUInt32},
                                          {"u8", DataType::kUInt64}}};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// What is wrong with a header, beginning with a verb; empty when nothing is.
std::string wrong_with(const NpyHeader& header, const DataWanted& wanted) {
  const std::string& type = header.type;
  const auto known = std::ranges::find_if(
      kTypes, [&](const NpyType& one) { return type.size() == 3 && type.substr(1) == one.name; });
  const bool has_no_order = known != kTypes.end() && size_of(known->type) == 1;
  if (type.starts_with('>')) return fmt::format("holds big-endian numbers ('{}')", type);
  if (known == kTypes.end() ||
      !(type[0] == '<' || (type[0] == '|' && (has_no_order || type == "|V2")))) {
    return fmt::format("holds numbers of a type ('{}') that no argument has", type);
  }
  if (known->type != wanted.type) {
    return fmt::format("holds {}, '{}' is {}", name_of(known->type), wanted.name,
                       name_of(wanted.type));
  }
  if (header.shape != wanted.shape) {
    return fmt::format("has the shape {}, '{}' has {}", shape_text(header.shape), wanted.name,
                       shape_text(wanted.shape));
  }
  // Of one dimension both orders are the same.
  if (header.column_major && header.shape.size() > 1) {
    return "is in Fortran's order, not in C's (numpy.ascontiguousarray changes it)";
  }
  return {};
}

struct Opened {
  std::ifstream stream;
  std::uint64_t data_at = 0;
};

// At the first number, of which there are enough.
Expected<Opened, std::string> opened(const std::filesystem::path& file, const DataWanted& wanted) {
  std::error_code failed;
  const std::uint64_t held = std::filesystem::file_size(file, failed);
  if (failed) return Failed{file.string() + ": cannot be read: " + failed.message()};
  if (!is_seekable_file(file)) return Failed{file.string() + ": is no file that can be read"};
  Opened out{std::ifstream(file, std::ios::binary)};
  if (!out.stream) return Failed{file.string() + ": cannot be read"};
  if (file.extension() == ".npy") {
    std::string head(std::min<std::uint64_t>(held, kLongestNpyHeader), '\0');
    out.stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(out.stream.gcount()));
    auto header = parse_npy_header(head);
    if (!header) return Failed{file.string() + ": " + header.error()};
    const std::string wrong = wrong_with(*header, wanted);
    if (!wrong.empty()) return Failed{file.string() + " " + wrong};
    out.data_at = header->data_at;
    out.stream.clear();
    out.stream.seekg(static_cast<std::streamoff>(out.data_at));
  }
  if (held - out.data_at < wanted.bytes()) {
    return Failed{fmt::format("{} holds {} bytes{}; '{}' needs {}", file.string(),
                              held - out.data_at, out.data_at > 0 ? " behind its header" : "",
                              wanted.name, wanted.bytes())};
  }
  return out;
}

}  // namespace

std::uint64_t DataWanted::bytes() const {
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return bytes;
}

std::optional<std::string> data_mismatch(const std::filesystem::path& file,
                                         const DataWanted& wanted) {
  const auto found = opened(file, wanted);
  return found ? std::nullopt : std::optional(found.error());
}

Expected<std::vector<std::byte>, std::string> read_data(const std::filesystem::path& file,
                                                        const DataWanted& wanted) {
  auto found = opened(file, wanted);
  if (!found) return Failed{found.error()};
  std::vector<std::byte> bytes(wanted.bytes());
  found->stream.read(reinterpret_cast<char*>(bytes.data()),
                     static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(found->stream.gcount()) != bytes.size()) {
    return Failed{file.string() + " became shorter while it was read"};
  }
  return bytes;
}

}  // namespace tuner
