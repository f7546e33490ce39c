#pragma once
// Digests of whole files, each read once for as long as it does not change.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tuner {

// The digest of a file with these bytes, 32 hex digits.
std::string file_digest_of(std::string_view bytes);

class FileDigests {
 public:
  struct State {
    std::string digest;
    std::chrono::system_clock::time_point changed;  // when the file last did, contents or name
  };

  // Of a regular file; empty when there is none or it cannot be read. Memory does not grow with
  // the file.
  std::optional<State> of(const std::filesystem::path& path);

  // The digest alone; empty text where there is none.
  std::string text_of(const std::filesystem::path& path);

 private:
  // What changes whenever a file's contents do; nobody can set the time of the last change.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::map<std::string, std::pair<Stamp, State>> known_;
};

}  // namespace tuner
