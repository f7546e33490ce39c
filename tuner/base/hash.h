#pragma once
// 128-bit content hash for identities and cache keys (not cryptographic, stable across machines),
// and digests of whole files.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tuner {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};

std::string to_hex(const Digest& digest);  // 32 lower-case digits

// Feeds length-prefixed pieces, so that ("ab", "c") and ("a", "bc") differ.
class Hasher {
 public:
  Hasher& add(std::string_view piece);
  Hasher& add(std::uint64_t number);
  Digest digest() const;

 private:
  void mix(std::uint64_t word);
  std::uint64_t a_ = 0x243F6A8885A308D3ULL;
  std::uint64_t b_ = 0x13198A2E03707344ULL;
};

Digest hash_of(std::string_view text);

// One step of the splitmix64 sequence (Steele, Lea, Flood 2014), as a pure mixing function.
constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// ---- files --------------------------------------------------------------------------------------

// The digest of a file with these bytes, 32 hex digits.
std::string file_digest_of(std::string_view bytes);

class FileDigests {
 public:
  struct State {
    std::string digest;
    std::chrono::system_clock::time_point changed;  // when the file last did, contents or name
  };

  // Reads and digests a regular file; empty when there is none or it cannot be read. Needs no more
  // memory for a larger file.
  std::optional<State> of(const std::filesystem::path& path);

  // The digest alone; empty text where there is none.
  std::string text_of(const std::filesystem::path& path);

 private:
  // File attributes that change whenever the contents do: nobody can set the time of the last
  // change.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::map<std::string, std::pair<Stamp, State>> known_;
};

}  // namespace tuner
