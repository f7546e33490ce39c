// Waits for connections and lines, and answers them one after the other.

#include "tuner/apply/line_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "tuner/base/error.h"

namespace tuner {
namespace {

constexpr std::size_t kLongestLine = std::size_t{16} << 20;

bool send_all(int socket, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t some = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    sent += static_cast<std::size_t>(some);
  }
  return true;
}

}  // namespace

LineServer::LineServer(const std::filesystem::path& path, Answer answer)
    : path_(path),
      answer_(std::move(answer)),
      socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw FatalError(path.string() + " is too long for a socket: set TMPDIR to a shorter folder");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  constexpr int kWaiting = 64;
  if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket_.get(), kWaiting) != 0) {
    throw FatalError("no socket can be made at " + path.string() + ": " + std::strerror(errno));
  }
  thread_ = std::thread([this] { serve(); });
}

LineServer::~LineServer() {
  const std::uint64_t one = 1;
  const bool is_woken = ::write(wake_.get(), &one, sizeof one) == sizeof one;
  if (!is_woken) ::shutdown(socket_.get(), SHUT_RDWR);
  thread_.join();
  ::unlink(path_.c_str());
}

void LineServer::serve() {
  for (bool is_ending = false;;) {
    std::vector<pollfd> awaited{{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    for (const Connection& one : connections_) awaited.push_back({one.socket.get(), POLLIN, 0});
    const int ready = ::poll(awaited.data(), awaited.size(), is_ending ? 0 : -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;  // all that was sent has been read
    is_ending = is_ending || awaited[1].revents != 0;
    if (is_ending && ready == 1 && awaited[1].revents != 0) return;
    for (std::size_t i = connections_.size(); i-- > 0;) {
      if (awaited[i + 2].revents == 0 || read(connections_[i])) continue;
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (awaited[0].revents == 0) continue;
    FileDescriptor made(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (made.get() < 0) return;
    connections_.push_back({count_++, std::move(made), {}});
  }
}

// False where the connection is over.
bool LineServer::read(Connection& from) {
  std::array<char, 65536> piece{};
  const ssize_t some = ::recv(from.socket.get(), piece.data(), piece.size(), 0);
  if (some < 0 && errno == EINTR) return true;
  if (some <= 0 || from.text.size() > kLongestLine) return false;
  from.text.append(piece.data(), static_cast<std::size_t>(some));
  return answer_lines(from);
}

bool LineServer::answer_lines(Connection& from) {
  for (auto end = from.text.find('\n'); end != std::string::npos; end = from.text.find('\n')) {
    const std::string line = from.text.substr(0, end);
    from.text.erase(0, end + 1);
    try {
      const auto answer = answer_(from.number, nlohmann::json::parse(line));
      if (answer && !send_all(from.socket.get(), answer->dump() + "\n")) return false;
    } catch (const std::exception&) {
      return false;  // it is no object of ours
    }
  }
  return true;
}

}  // namespace tuner
