#pragma once

#include <filesystem>
#include <string>

namespace tuner {

struct FileText {
  std::string text;
  std::string damage;  // why the compressed stream ended early; empty when it is whole
};

// The whole file, unpacked when it is gzipped (by content, whatever its name). A gzip stream that
// ends early gives what could be unpacked. Throws FatalError when it cannot be read at all or
// unpacks to more than `limit` bytes.
FileText read_maybe_compressed(const std::filesystem::path& path,
                               std::size_t limit = std::size_t{8} << 30);

}  // namespace tuner
