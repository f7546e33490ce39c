// Serves and asks over a Unix socket. A lock that lives as long as its process says who serves.

#include "tuner/worker/local_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tuner/base/child_process.h"
#include "tuner/base/process_state.h"
#include "tuner/base/stopwatch.h"
#include "tuner/worker/messages.h"

extern char** environ;

namespace tuner {
namespace {

constexpr int kLookMs = 250;
constexpr double kStartSeconds = 5;    // until a server that was started listens
constexpr double kEndedSeconds = 0.5;  // since it has ended

// False where the path is too long for a socket.
bool address_of(const std::filesystem::path& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  return true;
}

FileDescriptor new_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

// Returns the process at the other end; 0: it is another user's, or not known.
pid_t other_end(int socket) {
  ucred facts{};
  socklen_t size = sizeof facts;
  const bool known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &facts, &size) == 0;
  return known && facts.uid == ::geteuid() ? facts.pid : 0;
}

bool is_readable(int socket, int wait_ms) {
  pollfd one{socket, POLLIN, 0};
  return ::poll(&one, 1, wait_ms) > 0;
}

// Who asks says nothing more after the request, so that anything to read is its end. Then nobody
// waits for what is under way, as after a second signal.
class ClientGone final : public StopRequest {
 public:
  explicit ClientGone(int socket) : socket_(socket) {}
  int count() const override { return is_readable(socket_, 0) ? 2 : 0; }
  int fd() const override { return socket_; }

 private:
  int socket_;
};

// ---- the server ---------------------------------------------------------------------------------

// The socket in the file system, which is taken away when it is not served any more.
class ServedPath {
 public:
  explicit ServedPath(std::filesystem::path path) : path_(std::move(path)) {
    lock_.reset(::open((path_.native() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    sockaddr_un address{};
    if (lock_.get() < 0 || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return;
    if (!address_of(path_, address)) return;
    ::unlink(path_.c_str());  // of one that was killed
    FileDescriptor made = new_socket();
    ::umask(0077);
    if (::bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
    if (::listen(made.get(), 64) != 0 || ::stat(path_.c_str(), &bound_) != 0) return;
    socket_ = std::move(made);
  }
  ~ServedPath() {
    if (is_ours()) ::unlink(path_.c_str());
  }
  ServedPath(const ServedPath&) = delete;
  ServedPath& operator=(const ServedPath&) = delete;

  int socket() const { return socket_.get(); }
  bool is_ours() const {
    struct stat now {};
    return socket() >= 0 && ::stat(path_.c_str(), &now) == 0 && now.st_ino == bound_.st_ino &&
           now.st_dev == bound_.st_dev;
  }

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
  FileDescriptor socket_;
  struct stat bound_ {};
};

// Whoever waits until the one who started this has closed them does not wait for this one, too.
void close_inherited_files() {
  std::error_code failed;
  std::vector<int> files;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    files.push_back(std::atoi(file.path().filename().c_str()));
  }
  for (const int file : files) {
    if (file > 2) ::close(file);
  }
}

bool is_current_folder_there() {
  struct stat facts {};
  return ::stat(".", &facts) == 0 && facts.st_nlink > 0;
}

// A request that has begun to come. Whatever is wrong with it, the next one is answered.
void serve_one(int client, const AnswerClient& answer) {
  const timeval patience{1, 0};  // with who says half of it, or takes no answer
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (other_end(client) == 0) return;
  try {
    FrameReader reader;
    const auto request = receive(client, reader);
    if (!request) return;
    const auto tell = [client](const nlohmann::json& message) { send(client, message); };
    answer(*request, ClientGone(client), tell);
  } catch (...) {  // who asked does it itself, and hears of it then
  }
}

// Clients that are connected and have said nothing yet: nobody waits for them.
class Waiting {
 public:
  void add(FileDescriptor client) { clients_.push_back({std::move(client), Stopwatch()}); }

  // Waits for a moment: for a client who says something, or for a new one at `socket`. Forgets
  // those who have said nothing for long. One who speaks; none: look at `socket`.
  FileDescriptor next(int socket) {
    std::erase_if(clients_, [](const Client& one) { return one.since.seconds() > kPatience; });
    std::vector<pollfd> all{{socket, POLLIN, 0}};
    for (const Client& one : clients_) all.push_back({one.connection.get(), POLLIN, 0});
    ::poll(all.data(), all.size(), kLookMs);
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (all[i + 1].revents == 0) continue;
      FileDescriptor speaking = std::move(clients_[i].connection);
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
      return speaking;
    }
    return FileDescriptor();
  }

 private:
  static constexpr double kPatience = 5;
  struct Client {
    FileDescriptor connection;
    Stopwatch since;
  };
  std::vector<Client> clients_;
};

// ---- who asks -----------------------------------------------------------------------------------

// Out of reach of the terminal's Ctrl-C, and of what this process has open.
pid_t start_server(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (const int fd : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  if (::posix_spawn(&pid, words.front(), &actions, &attributes, words.data(), environ) != 0)
    pid = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

FileDescriptor connected(const sockaddr_un& address) {
  FileDescriptor socket = new_socket();
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket.get(), to, sizeof address) != 0) socket.reset();
  return socket;
}

FileDescriptor connect_or_start(const sockaddr_un& address, const std::vector<std::string>& start,
                                const StopRequest& stop) {
  FileDescriptor socket = connected(address);
  if (socket.get() >= 0) return socket;
  pid_t pid = start_server(start);
  const Stopwatch since;
  double patience = kStartSeconds;
  while (socket.get() < 0 && since.seconds() < patience && stop.count() == 0) {
    // One that ended was not needed, since another has just begun; or there never will be one.
    const bool has_ended = pid <= 0 || ::waitpid(pid, nullptr, WNOHANG) == pid;
    if (has_ended && patience == kStartSeconds) patience = since.seconds() + kEndedSeconds;
    ::usleep(5000);
    socket = connected(address);
  }
  return socket;
}

// Until there is something to read. False: there never will be.
bool wait_for(int socket, pid_t server, const StopRequest& stop) {
  for (;;) {
    pollfd both[2] = {{socket, POLLIN, 0}, {stop.fd(), POLLIN, 0}};
    ::poll(both, 2, kLookMs);
    if (stop.count() > 0) throw InterruptedError("interrupted before there was a verdict");
    if (both[0].revents != 0) return true;
    if (!is_stopped(server)) continue;
    ::kill(server, SIGKILL);  // it would keep all others waiting
    return false;
  }
}

}  // namespace

void serve_locally(const std::filesystem::path& socket, double idle_seconds,
                   const AnswerClient& answer) {
  close_inherited_files();
  ::signal(SIGPIPE, SIG_IGN);
  const ServedPath path(socket);
  Waiting waiting;
  Stopwatch idle;
  while (path.is_ours() && is_current_folder_there() && idle.seconds() < idle_seconds) {
    const FileDescriptor speaking = waiting.next(path.socket());
    if (speaking.get() < 0) {
      if (!is_readable(path.socket(), 0)) continue;
      FileDescriptor client(::accept4(path.socket(), nullptr, nullptr, SOCK_CLOEXEC));
      if (client.get() >= 0) waiting.add(std::move(client));
      continue;
    }
    serve_one(speaking.get(), answer);
    idle = Stopwatch();
  }
}

std::optional<nlohmann::json> ask_locally(const std::filesystem::path& socket,
                                          const std::vector<std::string>& start,
                                          const nlohmann::json& request, const StopRequest& stop,
                                          const std::function<void(const nlohmann::json&)>& told) {
  sockaddr_un address{};
  if (!address_of(socket, address)) return std::nullopt;
  const FileDescriptor connection = connect_or_start(address, start, stop);
  const pid_t server = connection.get() < 0 ? 0 : other_end(connection.get());
  if (server == 0 || !send(connection.get(), request)) return std::nullopt;
  FrameReader reader;
  std::string block(1 << 16, '\0');
  try {
    for (;;) {
      while (auto message = reader.next()) {
        if (message->value("type", "") == "answer") return message;
        told(*message);
      }
      if (!wait_for(connection.get(), server, stop)) return std::nullopt;
      const ssize_t got = ::recv(connection.get(), block.data(), block.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      reader.feed(block.data(), static_cast<std::size_t>(got));
    }
  } catch (const ProtocolError&) {
    return std::nullopt;
  }
}

}  // namespace tuner
