#include "tuner/store/compressed_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "tuner/base/error.h"

namespace tuner {
namespace {

struct GzClose {
  void operator()(gzFile file) const { gzclose_r(file); }
};

}  // namespace

FileText read_maybe_compressed(const std::filesystem::path& path, std::size_t limit) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw FatalError("cannot read " + path.string() + ": is a directory");
  }
  errno = 0;
  const std::unique_ptr<gzFile_s, GzClose> file(gzopen(path.c_str(), "rb"));
  if (!file) {
    throw FatalError("cannot read " + path.string() + ": " +
                     std::strerror(errno != 0 ? errno : ENOMEM));
  }
  gzbuffer(file.get(), 1U << 18);
  FileText out;
  std::vector<char> block(std::size_t{1} << 20);
  for (;;) {
    const int got = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
    if (got > 0) out.text.append(block.data(), static_cast<std::size_t>(got));
    if (out.text.size() > limit) {
      throw FatalError("cannot read " + path.string() + ": unpacks to more than " +
                       std::to_string(limit) + " bytes");
    }
    if (got < static_cast<int>(block.size())) break;
  }
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (code == Z_ERRNO) throw FatalError("cannot read " + path.string() + ": " + reason);
  if (code != Z_OK && code != Z_STREAM_END) out.damage = reason;
  return out;
}

}  // namespace tuner
