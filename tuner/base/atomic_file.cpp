// Writes a file under no name first and links it when it is complete.

#include "tuner/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/trust.h"

namespace tuner {
namespace {

[[noreturn]] void fail(const std::string& what, const std::filesystem::path& path) {
  throw FatalError(what + " " + path.string() + ": " + std::strerror(errno));
}

// Devices, pipes and what this process has open are written to, not replaced: a file with the name
// of /dev/null would harm everybody.
bool is_stream(const std::filesystem::path& path) {
  const std::filesystem::path plain = path.lexically_normal();
  if (plain == "/dev/stdout" || plain == "/dev/stderr" || plain.parent_path() == "/dev/fd" ||
      plain.parent_path() == "/proc/self/fd") {
    return true;
  }
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status);
}

// Gives `make` names beside the target until one is free. They cannot be guessed: a link of that
// name, in a folder that others may write to, would lead elsewhere. Returns what `make` does.
constexpr std::size_t kRoomForName = 110;  // of 143 bytes, which encrypted file systems leave

template <class Make>
int under_new_name(const std::filesystem::path& target, std::filesystem::path& name, Make make) {
  for (;;) {
    const std::string known = target.filename().string().substr(0, kRoomForName);
    name = target.parent_path() / (known + ".tmp" + std::to_string(drawn_secret()));
    const int result = make(name.c_str());
    if (result >= 0 || errno != EEXIST) return result;
  }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  if (is_stream(target_)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd_ < 0) fail("cannot write", target_);
    stream_ = true;
    return;
  }
  if (!is_seekable_file(target_)) {
    throw FatalError("cannot write " + target_.string() + ": it is a disk or a socket");
  }
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  // 0666: the user's umask decides, as for any file that a user's program creates.
  // Without a name until it is complete: whoever kills us leaves nothing behind.
  fd_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd_ >= 0) return;
  // Not every file system can do that.
  fd_ = under_new_name(target_, temporary_, [](const char* name) {
    return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  });
  if (fd_ < 0) {
    if (failed) errno = failed.value();  // why there is no folder says more than that there is none
    fail("cannot write", target_);
  }
  named_ = true;
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (named_) ::unlink(temporary_.c_str());
}

// A file without a name cannot replace another one directly: it gets the temporary name first.
void AtomicFile::give_name() {
  if (named_) return;
  const std::string itself = "/proc/self/fd/" + std::to_string(fd_);
  const int linked = under_new_name(target_, temporary_, [&](const char* name) {
    return ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  });
  if (linked != 0) fail("cannot write", target_);
  named_ = true;
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", target_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit(bool durable) {
  if (stream_) {
    if (::close(std::exchange(fd_, -1)) != 0) fail("cannot write", target_);
    return;
  }
  if (durable && ::fsync(fd_) != 0 && errno != EINVAL) fail("cannot write", target_);
  give_name();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot replace", target_);
  ::close(fd_);
  fd_ = -1;
}

std::filesystem::path file_behind_links(std::filesystem::path path) {
  constexpr int kMost = 40;  // as the system
  std::error_code error;
  for (int i = 0; i < kMost && !is_stream(path) && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

void write_file_atomically(const std::filesystem::path& target, std::string_view bytes,
                           bool durable) {
  AtomicFile file(target);
  file.write(bytes);
  file.commit(durable);
}

bool is_seekable_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  using enum std::filesystem::file_type;
  return type != fifo && type != character && type != socket && type != block;
}

std::string read_file(const std::filesystem::path& path) {
  if (!is_seekable_file(path)) {
    throw FatalError("cannot read " + path.string() + ": it is a pipe or a device, not a file");
  }
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) fail("cannot read", path);
  std::string text;
  std::vector<char> block(1 << 16);
  for (;;) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", path);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace tuner
