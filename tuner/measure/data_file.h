#pragma once
// Files that fill buffers, or hold right answers: raw bytes, raw bytes that gzip has compressed
// (.gz), or .npy files of NumPy, whose type and shape are compared with what the study says.
// Nothing in their header is trusted.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/data_type.h"

namespace tuner {

struct NpyHeader {
  std::string type;  // as NumPy writes it: byte order, kind, bytes of an element ("<f4")
  bool column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_at = 0;  // where the elements begin in the file
};

// A header takes at most so many bytes here, all that is in front of the elements.
inline constexpr std::size_t kLongestNpyHeader = 65536;

// Parses the first bytes of a file: at least kLongestNpyHeader of them, or the whole file if it is
// shorter. The error says what is wrong with the header.
Expected<NpyHeader, std::string> parse_npy_header(std::string_view bytes);

// The type and shape that a data file must have.
struct DataWanted {
  std::string name;  // of the argument, for messages
  DataType type = DataType::kFloat32;
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0;  // bytes of a raw file in front of it

  std::uint64_t bytes() const;
};

// Why the file does not hold that, in a sentence that names it; empty when it does, as far as can
// be told without reading the numbers. A raw file has to be long enough.
std::optional<std::string> data_mismatch(const std::filesystem::path& file,
                                         const DataWanted& wanted);

// The numbers as they are in memory; the error is a sentence that names the file.
Expected<std::vector<std::byte>, std::string> read_data(const std::filesystem::path& file,
                                                        const DataWanted& wanted);

}  // namespace tuner
