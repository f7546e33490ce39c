// Waits for sockets, and writes to them, without ever waiting for long.

#include "tuner/remote/pace.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace tuner {

void Pace::poll(std::vector<pollfd>& fds) {
  const timespec time{0, microseconds_ * 1000};
  ::ppoll(fds.data(), fds.size(), &time, nullptr);
  microseconds_ = std::min(kLongest, microseconds_ + microseconds_ / 4);
}

bool write_some(int socket, std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto sent =
        ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    done = sent < 0 ? bytes.size() : done + static_cast<std::size_t>(sent);
  }
  bytes.erase(0, done);
  return done > 0;
}

}  // namespace tuner
