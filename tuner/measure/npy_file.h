#pragma once
// The header of NumPy's .npy files: what the numbers behind it are. Nothing in it is trusted.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/expected.h"

namespace tuner {

struct NpyHeader {
  std::string type;  // as NumPy writes it: byte order, kind, bytes of an element ("<f4")
  bool column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_at = 0;  // where the elements begin in the file
};

// A header takes at most so many bytes here, all that is in front of the elements.
inline constexpr std::size_t kLongestNpyHeader = 65536;

// From a file's first bytes, at least kLongestNpyHeader of them where it has so many. The error
// says what is wrong with it.
Expected<NpyHeader, std::string> parse_npy_header(std::string_view bytes);

}  // namespace tuner
