// Keeps artifacts in a folder, each packed with a checksum; drops the oldest when the folder grows
// too large, and survives damage.

#include "tuner/worker/artifact_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/trust.h"
#include "tuner/worker/messages.h"

namespace tuner {

// ---- the form of an entry: key and artifact as on the wire --------------------------------------

namespace {

using nlohmann::json;

constexpr std::string_view kHead = "tuner artifact 4\n";
constexpr std::size_t kChecksum = 32;

}  // namespace

std::string pack(const std::string& key, const Artifact& artifact) {
  std::string body;
  json::to_cbor(json::array({key, artifact}), body);
  return std::string(kHead) + to_hex(hash_of(body)) + body;
}

std::optional<Artifact> unpack(const std::string& key, const std::string& bytes) {
  const std::string_view all = bytes;
  if (all.size() < kHead.size() + kChecksum || all.substr(0, kHead.size()) != kHead) {
    return std::nullopt;
  }
  const std::string_view body = all.substr(kHead.size() + kChecksum);
  if (all.substr(kHead.size(), kChecksum) != to_hex(hash_of(body))) return std::nullopt;
  try {
    const json entry = json::from_cbor(body.begin(), body.end());
    if (entry.at(0) != key) return std::nullopt;
    return entry.at(1).get<Artifact>();
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// ---- the cache ----------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".artifact";
constexpr auto kLeftOver = std::chrono::hours(1);  // a temporary file this old has no writer left

// Kinds of files that this cache makes: an entry (named by path_of()) and a temporary file of one
// (with the ending of AtomicFile). All other files in the folder belong to somebody else.
enum class OursAs { kNothing, kEntry, kTemporary };
OursAs ours_as(const fs::path& path) {
  constexpr std::size_t kDigits = 2 * sizeof(Digest);
  const std::string name = path.filename().string();
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const bool is_key = name.size() > kDigits &&
                      std::all_of(name.begin(), name.begin() + kDigits, is_hex) &&
                      path.parent_path().filename() == name.substr(0, 2);
  if (!is_key || name.compare(kDigits, kSuffix.size(), kSuffix) != 0) return OursAs::kNothing;
  const std::string_view rest = std::string_view(name).substr(kDigits + kSuffix.size());
  if (rest.empty()) return OursAs::kEntry;
  const bool is_temporary =
      rest.starts_with(".tmp") && rest.substr(4).find_first_not_of("0123456789-") == rest.npos;
  return is_temporary ? OursAs::kTemporary : OursAs::kNothing;
}

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

// Entries, oldest first. Files come and go while we look: what is gone is passed over. With
// `remove_left_overs`, temporary files of writers that died are deleted on the way.
std::vector<Entry> entries_in(const fs::path& directory, bool remove_left_overs) {
  std::vector<Entry> out;
  if (directory.empty()) return out;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    const fs::path& path = it->path();
    const OursAs ours = it.depth() == 1 ? ours_as(path) : OursAs::kNothing;
    if (ours == OursAs::kNothing || !it->is_regular_file(gone) || gone) continue;
    const auto used = fs::last_write_time(path, gone);
    const auto bytes = gone ? 0 : fs::file_size(path, gone);
    if (gone) continue;
    if (ours == OursAs::kEntry) {
      out.push_back({path, used, bytes});
    } else if (remove_left_overs && now - used > kLeftOver) {
      fs::remove(path, gone);
    }
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  return out;
}

std::uint64_t total(const std::vector<Entry>& entries) {
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  return bytes;
}

bool absolute(const char* path) { return path != nullptr && fs::path(path).is_absolute(); }

}  // namespace

fs::path default_cache_directory(const char* xdg_cache_home, const char* home) {
  if (absolute(xdg_cache_home)) return fs::path(xdg_cache_home) / "tuner";
  if (absolute(home)) return fs::path(home) / ".cache" / "tuner";
  return {};
}

void make_private_directory(const fs::path& directory) {
  std::error_code ignored;
  fs::create_directories(directory.parent_path(), ignored);
  ::mkdir(directory.c_str(), S_IRWXU);
}

ArtifactCache::ArtifactCache(fs::path directory, std::uint64_t limit,
                             std::function<void(const std::string&)> warn)
    : directory_(std::move(directory)),
      limit_(limit),
      warn_(std::move(warn)),
      writable_(!directory_.empty()) {}

// Two levels, so that no folder gets very long.
fs::path ArtifactCache::path_of(const std::string& key) const {
  return directory_ / key.substr(0, 2) / (key + std::string(kSuffix));
}

void ArtifactCache::give_up(const std::string& reason) {
  writable_ = false;
  if (warn_) warn_("artifacts are not kept for later runs: " + reason);
}

std::optional<Artifact> ArtifactCache::find(const std::string& key) {
  std::error_code error;
  const fs::path path = path_of(key);
  if (directory_.empty() || !fs::exists(path, error) || !why_not_trusted(directory_).empty()) {
    return std::nullopt;
  }
  std::optional<Artifact> found;
  try {
    found = unpack(key, read_file(path));
  } catch (const FatalError&) {
    return std::nullopt;  // removed by another process since we looked, or unreadable
  }
  if (!found) {
    fs::remove(path, error);
    return std::nullopt;
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // pruning goes by last use
  return found;
}

void ArtifactCache::put(const std::string& key, const Artifact& artifact) {
  if (!writable_) return;
  make_private_directory(directory_);
  if (const std::string reason = why_not_trusted(directory_); !reason.empty()) {
    give_up(reason);
    return;
  }
  const std::string bytes = pack(key, artifact);
  if (!bytes_) bytes_ = total(entries_in(directory_, false));
  try {
    write_file_atomically(path_of(key), bytes, false);
  } catch (const FatalError& error) {
    give_up(error.what());
    return;
  }
  *bytes_ += bytes.size();
  // Prunes to well below the limit, so that a full cache is not walked through for every entry.
  if (*bytes_ > limit_) prune(limit_ - limit_ / 8);
}

CacheStats ArtifactCache::stats() const {
  const auto entries = entries_in(directory_, false);
  return {entries.size(), total(entries)};
}

void ArtifactCache::prune(std::uint64_t limit) {
  const auto entries = entries_in(directory_, true);
  std::uint64_t bytes = total(entries);
  for (const Entry& entry : entries) {
    if (bytes <= limit) break;
    std::error_code error;
    if (fs::remove(entry.path, error) || !error) bytes -= entry.bytes;
  }
  bytes_ = bytes;
}

void ArtifactCache::clear() { prune(0); }

}  // namespace tuner
