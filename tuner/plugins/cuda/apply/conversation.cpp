// Talks over the socket; gives up at the first thing that goes wrong.

#include "tuner/plugins/cuda/apply/conversation.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace tuner::apply {
namespace {

// A variant may have to be compiled first, which tuner gives two minutes.
constexpr std::chrono::seconds kDeadline{150};

std::string line_of(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int connected() {
  const char* const path = std::getenv("TUNER_APPLY");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return -1;
  std::strcpy(address.sun_path, path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket >= 0 &&
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    return -1;
  }
  return socket;
}

}  // namespace

bool Conversation::is_open() {
  if (process_ != ::getpid()) {
    if (socket_ >= 0) ::close(socket_);
    process_ = ::getpid();
    behind_.clear();
    socket_ = connected();
    if (socket_ >= 0) send(line_of({{"process", process_}}));
  }
  return socket_ >= 0;
}

void Conversation::send(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t some = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) throw std::runtime_error("tuner has ended");
    sent += static_cast<std::size_t>(some);
  }
}

std::string Conversation::receive() {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  std::array<char, 4096> piece{};
  for (;;) {
    const std::size_t at = behind_.find('\n');
    if (at != std::string::npos) {
      std::string line = behind_.substr(0, at);
      behind_.erase(0, at + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd one{socket_, POLLIN, 0};
    const int ready = left.count() > 0 ? ::poll(&one, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw std::runtime_error("tuner did not answer in time");
    const ssize_t some = ::recv(socket_, piece.data(), piece.size(), 0);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) throw std::runtime_error("tuner has ended");
    behind_.append(piece.data(), static_cast<std::size_t>(some));
  }
}

nlohmann::json Conversation::ask(const nlohmann::json& question) {
  const std::lock_guard lock(mutex_);
  if (!is_open()) throw std::runtime_error("tuner is not there");
  try {
    send(line_of(question));
    return nlohmann::json::parse(receive());
  } catch (const std::exception&) {
    ::close(socket_);
    socket_ = -1;
    throw;
  }
}

void Conversation::tell(const nlohmann::json& message) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (is_open()) send(line_of(message));
  } catch (const std::exception&) {
    // Nobody listens: the application goes on.
  }
}

void Conversation::greet() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    is_open();
  } catch (const std::exception&) {
    // Nobody listens: the application goes on.
  }
}

}  // namespace tuner::apply
