// Reads a file and unpacks it when it is gzipped.

#include "tuner/base/compressed_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
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

}  // namespace tuner
