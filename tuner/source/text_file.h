#pragma once
// Text of a user's file that may be anything: missing, large, a folder, not readable.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"

namespace tuner {

// Reads a regular file of at most so many bytes, without a byte order mark; nothing where there is
// none that can be read.
inline std::optional<std::string> readable_text(const std::filesystem::path& file,
                                                std::uintmax_t most_bytes) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return std::nullopt;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failed);
  if (failed || bytes > most_bytes) return std::nullopt;
  try {
    return without_byte_order_mark(read_file(file));
  } catch (const FatalError&) {
    return std::nullopt;
  }
}

}  // namespace tuner
