// Starts children with exec, ends them with their parent, and passes messages.

#include "tuner/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/process_state.h"
#include "tuner/base/stopwatch.h"

extern char** environ;

namespace tuner {
namespace {

constexpr int kPatienceMs = 200;

// Whether a process is on its way out: descriptors are closed well before the end can be waited
// for, on a busy machine much earlier.
bool is_exiting(pid_t pid) {
  constexpr int kFlags = 6;
  constexpr unsigned long kExiting = 4;  // PF_EXITING of linux/sched.h
  const std::string flags = stat_field(std::to_string(pid), kFlags);
  return !flags.empty() && (std::stoul(flags) & kExiting) != 0;
}

// ---- the child ----------------------------------------------------------------------------------

// posix_spawn wants its attributes initialised and destroyed in pairs.
struct SpawnActions {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnActions() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
};

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  }
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Descriptors 0..3 are given to the child by number: keep ours out of their way.
int above_child_socket(int fd) {
  if (fd > kChildSocket) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, kChildSocket + 1);
  ::close(fd);
  return moved;
}

}  // namespace

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

ChildProcess::ChildProcess(const std::vector<std::string>& argv, Kind kind)
    : is_keeper_(kind == Kind::kKeeper) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw FatalError(std::string("cannot make a socket pair: ") + std::strerror(errno));
  }
  socket_.reset(above_child_socket(ends[0]));
  FileDescriptor theirs(above_child_socket(ends[1]));
  output_.reset(above_child_socket(::memfd_create("tuner-worker-output", MFD_CLOEXEC)));
  ::fcntl(output_.get(), F_SETFL, O_APPEND);

  SpawnActions spawn;
  posix_spawn_file_actions_addopen(&spawn.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&spawn.actions, output_.get(), 1);
  posix_spawn_file_actions_adddup2(&spawn.actions, output_.get(), 2);
  posix_spawn_file_actions_adddup2(&spawn.actions, theirs.get(), kChildSocket);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&spawn.attributes, &none);
  sigset_t usual;  // an application may ignore the end of its children; they wait for theirs
  sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD);
  posix_spawnattr_setsigdefault(&spawn.attributes, &usual);
  posix_spawnattr_setpgroup(&spawn.attributes, 0);
  posix_spawnattr_setflags(&spawn.attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& word : argv) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int failed = ::posix_spawn(&pid_, argv.front().c_str(), &spawn.actions, &spawn.attributes,
                                   arguments.data(), environ);
  if (failed != 0) {
    pid_ = -1;
    throw FatalError("cannot start " + argv.front() + ": " + std::strerror(failed));
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  kill();
  wait();
}

bool ChildProcess::is_ending() const {
  siginfo_t facts{};
  return pid_ <= 0 ||
         (::waitid(P_PID, static_cast<id_t>(pid_), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          facts.si_pid == pid_) ||
         is_exiting(pid_);
}

void ChildProcess::let_end() {
  for (int i = 0; i < kPatienceMs && !is_ending(); ++i) ::usleep(1000);
}

void ChildProcess::kill() {
  if (pid_ <= 0) return;
  killed_by_us_ = killed_by_us_ || !is_ending();
  if (!is_keeper_) {
    ::kill(-pid_, SIGKILL);
    return;
  }
  ::kill(pid_, SIGTERM);
  ::kill(pid_, SIGCONT);  // it may have been stopped
}

pid_t ChildProcess::pid() const {
  if (!is_keeper_ || pid_ <= 0) return pid_;
  const std::vector<pid_t> kept = children_of(pid_);
  return kept.empty() ? pid_ : kept.front();
}

bool ChildProcess::ends_within(double seconds) const {
  const Stopwatch since;
  char byte = 0;
  for (double left = seconds; left > 0; left = seconds - since.seconds()) {
    pollfd end{socket(), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(left * 1000) + 1);
    if (::recv(socket(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0) return true;
    ::usleep(1000);
  }
  return false;
}

std::string ChildProcess::wait() {
  if (pid_ <= 0) return ending_;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::kill(-pid_, SIGKILL);  // whatever it had started itself
  pid_ = -1;
  ending_ = ending_of(status);
  killed_from_outside_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !killed_by_us_;
  return ending_;
}

std::string ChildProcess::output_tail(std::size_t bytes) const {
  struct stat facts {};
  if (::fstat(output_.get(), &facts) != 0 || facts.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(facts.st_size);
  std::string tail(std::min(bytes, size), '\0');
  const ssize_t got =
      ::pread(output_.get(), tail.data(), tail.size(), static_cast<off_t>(size - tail.size()));
  tail.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return tail;
}

void ChildProcess::clear_output() {
  if (::ftruncate(output_.get(), 0) != 0) output_.reset();
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::istringstream list(text_of_file("/proc/" + number + "/task/" + number + "/children"));
  std::vector<pid_t> out;
  for (pid_t pid = 0; list >> pid;) out.push_back(pid);
  return out;
}

void die_with_parent(int signal) {
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, signal);
  // The parent may have died before the call took effect. If it had died even before getppid(), the
  // end of the connection will show it; a parent with number 1 means nothing in a container.
  if (::getppid() != parent) ::_exit(1);
}

std::string executable_path() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

}  // namespace tuner
