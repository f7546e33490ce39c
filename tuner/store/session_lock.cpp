// Tells living tuners from dead ones by locks that the system releases.

#include "tuner/store/session_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tuner/base/error.h"

namespace tuner {
namespace {

struct flock range(std::int64_t start, std::int64_t length) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;  // 0: to the end of the world
  return lock;
}

}  // namespace

SessionLock::SessionLock(const std::filesystem::path& file)
    : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (fd_ < 0) throw FatalError("cannot write " + file.string() + ": " + std::strerror(errno));
}

SessionLock::~SessionLock() { ::close(fd_); }

bool SessionLock::take(std::int64_t session) {
  struct flock lock = range(session, 1);
  return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0;
}

SessionLock::Hold SessionLock::wait(std::int64_t session) {
  struct flock lock = range(session, 1);
  while (::fcntl(fd_, F_OFD_SETLKW, &lock) != 0 && errno == EINTR) {
  }
  return {fd_, session};
}

SessionLock::Hold::~Hold() {
  struct flock lock = range(session_, 1);
  lock.l_type = F_UNLCK;
  ::fcntl(fd_, F_OFD_SETLK, &lock);
}

bool SessionLock::is_held(std::int64_t session) const {
  struct flock lock = range(session, 1);
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool SessionLock::any_other_held() const {
  struct flock lock = range(0, 0);
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace tuner
