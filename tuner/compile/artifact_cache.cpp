// Keeps artifacts in a folder, each packed with a checksum; drops the oldest when the folder grows
// too large, and survives damage.

#include "tuner/compile/artifact_cache.h"

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

namespace tuner {

// ---- the form of an entry -----------------------------------------------------------------------

namespace {

constexpr std::string_view kHead = "tuner artifact 3\n";
constexpr std::size_t kChecksum = 32;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  }
  void text(const std::string& value) {
    number(value.size());
    bytes += value;
  }
  std::string bytes;
};

// Reads what Writer wrote; after the first thing that does not fit, `good` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    if (rest_.size() < 8) {
      good = false;
      return 0;
    }
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      out |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(8);
    return out;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      good = false;
      return {};
    }
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }
  bool at_end() const { return rest_.empty(); }
  bool good = true;

 private:
  std::string_view rest_;
};

// The numbers of `resources`, in the order in which they are stored.
template <typename R, typename Visit>
void each_number(R& resources, Visit visit) {
  visit(resources.registers);
  visit(resources.static_shared_bytes);
  visit(resources.constant_bytes);
  visit(resources.local_bytes);
  visit(resources.spill_bytes);
  visit(resources.max_threads);
}

// In place of the number of files that were opened.
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

void read_opened(Reader& reader, OpenedFiles& opened) {
  const std::uint64_t count = reader.number();
  if (count == kNotKnown) return;
  opened.emplace();
  for (std::uint64_t i = 0; reader.good && i < count; ++i) {
    FileState& file = opened->emplace_back();
    file.path = reader.text();
    file.digest = reader.text();
  }
}

}  // namespace

std::string pack(const std::string& key, const Artifact& artifact) {
  Writer body;
  body.text(key);
  body.text(artifact.image);
  body.text(artifact.entry);
  body.text(artifact.log);
  body.number(std::bit_cast<std::uint64_t>(artifact.milliseconds));
  each_number(artifact.resources,
              [&](std::int64_t value) { body.number(static_cast<std::uint64_t>(value)); });
  body.number(artifact.then.size());
  for (const NextKernel& next : artifact.then) {
    body.text(next.entry);
    each_number(next.resources,
                [&](std::int64_t value) { body.number(static_cast<std::uint64_t>(value)); });
  }
  body.number(artifact.opened ? artifact.opened->size() : kNotKnown);
  if (artifact.opened) {
    for (const FileState& file : *artifact.opened) {
      body.text(file.path);
      body.text(file.digest);
    }
  }
  for (const auto& [asked, lowered] : artifact.symbols) {
    body.text(asked);
    body.text(lowered);
  }
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
  if (reader.text() != key) return std::nullopt;
  Artifact out;
  out.image = reader.text();
  out.entry = reader.text();
  out.log = reader.text();
  out.milliseconds = std::bit_cast<double>(reader.number());
  each_number(out.resources,
              [&](std::int64_t& value) { value = static_cast<std::int64_t>(reader.number()); });
  const std::uint64_t count = reader.number();
  for (std::uint64_t i = 0; reader.good && i < count; ++i) {
    NextKernel& next = out.then.emplace_back();
    next.entry = reader.text();
    each_number(next.resources,
                [&](std::int64_t& value) { value = static_cast<std::int64_t>(reader.number()); });
  }
  read_opened(reader, out.opened);
  while (reader.good && !reader.at_end()) {
    std::string asked = reader.text();
    out.symbols.emplace_back(std::move(asked), reader.text());
  }
  if (!reader.good) return std::nullopt;
  return out;
}

// ---- the cache ----------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".artifact";
constexpr auto kLeftOver = std::chrono::hours(1);  // a temporary file this old has no writer left

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
    if (!it->is_regular_file(gone) || gone) continue;
    const auto used = fs::last_write_time(path, gone);
    const auto bytes = gone ? 0 : fs::file_size(path, gone);
    if (gone) continue;
    if (path.extension() == kSuffix) {
      out.push_back({path, used, bytes});
    } else if (remove_left_overs && now - used > kLeftOver &&
               path.filename().string().find(std::string(kSuffix) + ".tmp") != std::string::npos) {
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

std::string why_not_trusted(const fs::path& directory) {
  struct stat link {};
  struct stat folder {};
  if (::lstat(directory.c_str(), &link) != 0 || ::stat(directory.c_str(), &folder) != 0) return {};
  if (link.st_uid != ::geteuid() || folder.st_uid != ::geteuid()) {
    return directory.string() + " belongs to another user";
  }
  if (S_ISDIR(folder.st_mode) && (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "others may write to " + directory.string() + " (chmod go-w changes that)";
  }
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
  return directory_ / key.substr(0, 2) / (key + kSuffix);
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
