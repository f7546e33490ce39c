// Keeps artifacts in a folder, each packed with a checksum; drops the oldest when the folder grows
// too large, and survives damage.

#include "tuner/worker/artifact_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/trust.h"
#include "tuner/model/fields.h"

namespace tuner {

// ---- the form of an entry -----------------------------------------------------------------------

namespace {

constexpr std::string_view kHead = "tuner artifact 3\n";
constexpr std::size_t kChecksum = 32;

// In place of the number of files that were opened.
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

using Symbols = decltype(Artifact::symbols);

// Numbers as eight bytes, texts with their size before them, lists with their length; fields in the
// order of their noun's list.
class Writer {
 public:
  void put(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  }
  void put(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(const std::string& value) {
    put(std::uint64_t{value.size()});
    bytes += value;
  }
  void put(Bytes<const std::string> value) { put(value.text); }
  void put(const OpenedFiles& opened) { opened ? put(*opened) : put(kNotKnown); }
  // The last field: it goes on to the end.
  void put(const Symbols& symbols) {
    for (const auto& [asked, lowered] : symbols) {
      put(asked);
      put(lowered);
    }
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    for (const T& one : list) put(one);
  }
  template <HasFields Noun>
  void put(const Noun& noun) {
    for_each_field(noun, [this](const char*, const auto& field) { this->put(field); });
  }
  std::string bytes;
};

// Reads what Writer wrote; after the first thing that does not fit, `good` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  void get(std::uint64_t& value) {
    value = 0;
    good = good && rest_.size() >= 8;
    if (!good) return;
    for (std::size_t i = 0; i < 8; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(8);
  }
  void get(std::int64_t& value) { value = static_cast<std::int64_t>(number()); }
  void get(double& value) { value = std::bit_cast<double>(number()); }
  void get(std::string& value) {
    const std::uint64_t size = number();
    good = good && size <= rest_.size();
    if (!good) return;
    value = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void get(Bytes<std::string> value) { get(value.text); }
  void get(OpenedFiles& opened) {
    const std::uint64_t count = number();
    if (count != kNotKnown) get(opened.emplace(), count);
  }
  void get(Symbols& symbols) {
    while (good && !rest_.empty()) {
      auto& [asked, lowered] = symbols.emplace_back();
      get(asked);
      get(lowered);
    }
  }
  template <typename T>
  void get(std::vector<T>& list) {
    get(list, number());
  }
  template <HasFields Noun>
  void get(Noun& noun) {
    for_each_field(noun, [this](const char*, auto&& field) { this->get(field); });
  }
  bool good = true;

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    get(value);
    return value;
  }
  template <typename T>
  void get(std::vector<T>& list, std::uint64_t count) {
    for (std::uint64_t i = 0; good && i < count; ++i) get(list.emplace_back());
  }

  std::string_view rest_;
};

}  // namespace

std::string pack(const std::string& key, const Artifact& artifact) {
  Writer body;
  body.put(key);
  body.put(artifact);
  return std::string(kHead) + to_hex(hash_of(body.bytes)) + body.bytes;
}

std::optional<Artifact> unpack(const std::string& key, const std::string& bytes) {
  const std::string_view all = bytes;
  if (all.size() < kHead.size() + kChecksum || all.substr(0, kHead.size()) != kHead) {
    return std::nullopt;
  }
  const std::string_view body = all.substr(kHead.size() + kChecksum);
  if (all.substr(kHead.size(), kChecksum) != to_hex(hash_of(body))) return std::nullopt;
  Reader reader(body);
  std::string written_for;
  reader.get(written_for);
  if (written_for != key) return std::nullopt;
  Artifact out;
  reader.get(out);
  if (!reader.good) return std::nullopt;
  return out;
}

// ---- the cache ----------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".artifact";
constexpr auto kLeftOver = std::chrono::hours(1);  // a temporary file this old has no writer left

// What path_of() makes of a key; then, for a temporary file, what AtomicFile puts behind it.
// Whatever else is in the folder is somebody's.
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
    ++misses_;
    return std::nullopt;
  }
  std::optional<Artifact> found;
  try {
    found = unpack(key, read_file(path));
  } catch (const FatalError&) {
    // Removed by another process since we looked, or unreadable.
    ++misses_;
    return std::nullopt;
  }
  if (!found) {
    ++corrupt_;
    ++misses_;
    fs::remove(path, error);
    return std::nullopt;
  }
  ++hits_;
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
  // To below the limit, so that a full cache is not walked through for every entry.
  if (*bytes_ > limit_) prune(limit_ - limit_ / 8);
}

CacheStats ArtifactCache::stats() const {
  const auto entries = entries_in(directory_, false);
  return {entries.size(), total(entries), hits_, misses_, corrupt_};
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
