// Reads tar archives (blocks of 512 bytes, a head before each file) and what gzip has compressed.

#include "tuner/base/archives.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

constexpr std::size_t kBlock = 512;

// A field ends at its width or at the first zero byte.
std::string_view field(std::string_view block, std::size_t at, std::size_t width) {
  const std::string_view all = block.substr(at, width);
  return all.substr(0, all.find('\0'));
}

std::optional<std::size_t> size_in(std::string_view head) {
  const std::string_view octal = field(head, 124, 12);
  std::size_t size = 0;
  const auto read = std::from_chars(octal.data(), octal.data() + octal.size(), size, 8);
  if (read.ec != std::errc{} || read.ptr == octal.data()) return std::nullopt;
  return size;
}

// POSIX splits a long name in two. GNU has other things in the second place.
std::string name_in(std::string_view head) {
  const std::string name(field(head, 0, 100));
  const bool posix = head[262] == '\0';
  const std::string folder(posix ? field(head, 345, 155) : "");
  return folder.empty() ? name : folder + "/" + name;
}

// A record is "<length> path=<name>\n".
std::string name_in_records(std::string_view records) {
  const std::size_t at = records.find(" path=");
  if (at == records.npos) return {};
  const std::size_t begin = at + 6;
  return std::string(records.substr(begin, records.find('\n', begin) - begin));
}

}  // namespace

bool is_tar(std::string_view text) {
  return text.size() >= kBlock && text.substr(257, 5) == "ustar";
}

std::vector<PackedFile> files_in_tar(std::string_view archive, const std::string& file) {
  std::vector<PackedFile> files;
  std::string long_name;  // told by an entry of its own, before the file's
  while (!archive.empty() && archive.front() != '\0') {
    const std::optional<std::size_t> size =
        is_tar(archive) ? size_in(archive.substr(0, kBlock)) : std::nullopt;
    if (!size || *size > archive.size() - kBlock) {
      throw InputError(
          Complaint{{file, 0, 0},
                    "is a damaged archive: after a file comes neither another file nor the end",
                    ""});
    }
    const std::string_view head = archive.substr(0, kBlock);
    const std::string_view text = archive.substr(kBlock, *size);
    const char type = head[156];
    if (type == 'L') {
      long_name = field(text, 0, text.size());
    } else if (type == 'x') {
      long_name = name_in_records(text);
    } else {
      const std::string name = std::exchange(long_name, {});
      const bool regular = type == '0' || type == '\0';
      if (regular) files.push_back({name.empty() ? name_in(head) : name, text});
    }
    const std::size_t blocks = (*size + kBlock - 1) / kBlock;
    archive.remove_prefix(std::min(archive.size(), (1 + blocks) * kBlock));
  }
  return files;
}

// ---- compressed files ---------------------------------------------------------------------------

namespace {

struct GzClose {
  void operator()(gzFile file) const { gzclose_r(file); }
};

using GzFile = std::unique_ptr<gzFile_s, GzClose>;

GzFile open_file(const std::filesystem::path& path) {
  errno = 0;
  GzFile file(gzopen(path.c_str(), "rb"));
  if (!file) {
    throw FatalError("cannot read " + path.string() + ": " +
                     std::strerror(errno != 0 ? errno : ENOMEM));
  }
  gzbuffer(file.get(), 1U << 18);
  return file;
}

// Gives the text to `take`, block by block, until it returns false. Returns the damage.
template <typename Take>
std::string unpack(const std::filesystem::path& path, const Take& take) {
  const GzFile file = open_file(path);
  std::vector<char> block(std::size_t{1} << 20);
  for (;;) {
    const int got = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
    if (got > 0 && !take(std::string_view(block.data(), static_cast<std::size_t>(got)))) return {};
    if (got < static_cast<int>(block.size())) break;
  }
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (code == Z_ERRNO) throw FatalError("cannot read " + path.string() + ": " + reason);
  return code != Z_OK && code != Z_STREAM_END ? reason : "";
}

}  // namespace

FileText read_maybe_compressed(const std::filesystem::path& path, std::size_t limit) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw FatalError("cannot read " + path.string() + ": is a directory");
  }
  if (!is_seekable_file(path)) {
    throw FatalError("cannot read " + path.string() + ": it is a pipe or a device, not a file");
  }
  FileText out;
  std::size_t size = 0;
  out.damage =
      unpack(path, [&](std::string_view block) { return (size += block.size()) <= limit; });
  if (size > limit) {
    throw InputError(Complaint{{path.string(), 0, 0},
                               "holds more than " + std::to_string(limit >> 20) + " MiB of text",
                               ""});
  }
  out.text.reserve(size);
  unpack(path, [&](std::string_view block) {
    out.text += block.substr(0, size - out.text.size());  // it may have grown since
    return out.text.size() < size;
  });
  return out;
}

std::size_t unpack(const std::filesystem::path& path, std::span<std::byte> into,
                   std::uint64_t offset) {
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> stream(gzopen(path.c_str(), "rb"), &gzclose);
  if (!stream) throw FatalError(path.string() + ": " + std::strerror(errno));
  if (offset > 0 && gzseek(stream.get(), static_cast<z_off_t>(offset), SEEK_SET) < 0) return 0;
  std::size_t held = 0;
  while (held < into.size()) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const auto most = static_cast<unsigned>(std::min(into.size() - held, kMost));
    const int read = gzread(stream.get(), into.data() + held, most);
    if (read <= 0) break;
    held += static_cast<std::size_t>(read);
  }
  return held;
}

GzipFile::GzipFile(const std::filesystem::path& path)
    : path_(path.string()), stream_(gzopen(path_.c_str(), "wb1")) {
  if (stream_ == nullptr) fail();
}

GzipFile::~GzipFile() {
  if (stream_ != nullptr) gzclose(static_cast<gzFile>(stream_));
}

void GzipFile::write(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto count = static_cast<unsigned>(bytes.size());
  if (gzwrite(static_cast<gzFile>(stream_), bytes.data(), count) <= 0) fail();
}

void GzipFile::close() {
  if (gzclose(static_cast<gzFile>(std::exchange(stream_, nullptr))) != Z_OK) fail();
}

void GzipFile::fail() const {
  throw FatalError(path_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace tuner
