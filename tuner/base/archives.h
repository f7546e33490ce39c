#pragma once
// Files in files: tar, and what gzip has compressed.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

struct PackedFile {
  std::string name;  // as the archive has it; it may be any path
  std::string_view text;
};

bool is_tar(std::string_view text);

// The regular files of an archive, in its order. Reads what GNU tar, bsdtar and Python write. The
// texts are parts of `archive`. Throws InputError, which names `file`, for an archive that is
// damaged.
std::vector<PackedFile> files_in_tar(std::string_view archive, const std::string& file);

// ---- compressed files ---------------------------------------------------------------------------

struct FileText {
  std::string text;
  std::string damage;  // why the compressed stream ended early; empty when it is whole
};

// Public recordings have some 600 bytes of text for each configuration, 10 MB for 18 000 of them;
// the largest public spaces have 350 000.
inline constexpr std::size_t kMostText = std::size_t{512} << 20;

// The whole file, unpacked when it is gzipped (by content, whatever its name). A gzip stream that
// ends early gives what could be unpacked. Takes no more memory than the text, and none for one
// that is too long: it is unpacked twice. Throws FatalError when it cannot be read at all, and
// InputError when it unpacks to more than `limit` bytes.
FileText read_maybe_compressed(const std::filesystem::path& path, std::size_t limit = kMostText);

// Unpacks the beginning of a gzip file. Returns how many bytes it had, up to as many as there is
// room for. Throws FatalError where it cannot be opened; a damaged one ends at the damage.
std::size_t unpack(const std::filesystem::path& path, std::span<std::byte> into,
                   std::uint64_t offset = 0);

// A gzip file in the making, at the quickest level. Throws FatalError, which names the file, where
// it cannot be written.
class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  void write(std::string_view bytes);
  void close();  // the file is whole

 private:
  [[noreturn]] void fail() const;
  std::string path_;
  void* stream_;
};

}  // namespace tuner
