#pragma once
// Compiled artifacts on disk, found by their key. Several processes may share a directory.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tuner/model/artifact.h"

namespace tuner {

struct CacheStats {
  std::uint64_t entries = 0;  // on disk
  std::uint64_t bytes = 0;
};

// $XDG_CACHE_HOME/tuner, else $HOME/.cache/tuner, from the values of those variables; empty when
// neither is an absolute path.
std::filesystem::path default_cache_directory(const char* xdg_cache_home, const char* home);

// Made for this user alone, if it is not there; its parents as any folder.
void make_private_directory(const std::filesystem::path& directory);

// One thread at a time. Nothing here throws because of the disk: a cache that cannot be read or
// written is only slower, and says so once.
class ArtifactCache {
 public:
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;  // bytes

  // An empty directory: a cache that holds nothing. `warn` gets at most one message.
  explicit ArtifactCache(std::filesystem::path directory, std::uint64_t limit = kDefaultLimit,
                         std::function<void(const std::string&)> warn = {});

  // An entry that is damaged, or was made for another key, is removed and counts as absent. In a
  // directory that is not to be trusted nothing is found.
  std::optional<Artifact> find(const std::string& key);

  // Adds an entry, and removes those not used for longest when the limit is passed.
  void put(const std::string& key, const Artifact& artifact);

  CacheStats stats() const;
  void prune(std::uint64_t limit);  // until at most `limit` bytes are left
  void clear();
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void give_up(const std::string& reason);

  std::filesystem::path directory_;
  std::uint64_t limit_;
  std::function<void(const std::string&)> warn_;
  bool writable_;
  std::optional<std::uint64_t> bytes_;  // on disk as far as we know; empty before the first look
};

// The bytes of a cache entry: a line that says what it is, a checksum, the key, the artifact.
std::string pack(const std::string& key, const Artifact& artifact);

// Empty when the bytes are not exactly what pack() wrote for this key: cut, changed, of another
// version, or another key's entry under this one's name.
std::optional<Artifact> unpack(const std::string& key, const std::string& bytes);

}  // namespace tuner
