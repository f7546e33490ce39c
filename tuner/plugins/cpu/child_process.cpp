#include "tuner/plugins/cpu/child_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tuner::cpu {
namespace {

constexpr const char* kScratchPrefix = "tuner-cpu-";
constexpr int kGuardLost = 125;
constexpr int kNotExecuted = 127;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment(const std::filesystem::path& scratch) {
  std::vector<std::string> out{"LC_ALL=C", "TMPDIR=" + scratch.string()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("LC_ALL=") || text.starts_with("TMPDIR=")) continue;
    out.emplace_back(text);
  }
  return out;
}

// Everything that the processes below need. They are forked from a process that may have several
// threads, so that they must not allocate.
struct Job {
  std::vector<char*> arguments, environment;
  const char* log;
  pid_t parent;
};

[[noreturn]] void become_program(const Job& job) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGINT, SIG_DFL);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(job.log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0) {
    execve(job.arguments[0], job.arguments.data(), job.environment.data());
  }
  _exit(kNotExecuted);
}

// What outlives its parent to clean up leaves the parent's process group: who kills that whole
// group must not reach it. False when the parent is gone already.
bool outlive(pid_t parent) {
  setpgid(0, 0);
  signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

// The process between. The kernel's death signal alone would reach the program, but not what the
// program started.
[[noreturn]] void guard(const Job& job, const sigset_t& awaited) {
  if (!outlive(job.parent)) _exit(kGuardLost);
  close_range(3, ~0U, 0);  // above all the parent's connections, which must end with it
  const pid_t program = fork();
  if (program == 0) become_program(job);
  if (program < 0) _exit(kGuardLost);
  setpgid(program, program);
  for (;;) {
    const int received = sigwaitinfo(&awaited, nullptr);
    int status = 0;
    if (received == SIGTERM) {
      kill(-program, SIGKILL);
      waitpid(program, &status, 0);
      _exit(kGuardLost);
    }
    if (received == SIGCHLD && waitpid(program, &status, WNOHANG) == program) {
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
  }
}

// Makes the directory, tells its name, and removes it when the parent dies. `path` ends in XXXXXX.
[[noreturn]] void janitor(pid_t parent, const sigset_t& awaited, char* path, int answer) {
  const bool made = outlive(parent) && mkdtemp(path) != nullptr;
  const auto size = static_cast<ssize_t>(std::char_traits<char>::length(path));
  const bool told = made && ::write(answer, path, static_cast<std::size_t>(size)) == size;
  close_range(3, ~0U, 0);  // above all the parent's connections, which must end with it
  if (told && getppid() == parent) sigwaitinfo(&awaited, nullptr);
  // Programs that are being killed may still write for a moment.
  std::error_code failed;
  for (int i = 0; made && i < 6000; ++i) {
    std::filesystem::remove_all(path, failed);
    if (!std::filesystem::exists(path, failed)) break;
    usleep(10000);
  }
  _exit(0);
}

// A signal mask of this thread, for as long as this lives. What is forked meanwhile inherits it
// from its first instruction.
class Blocked {
 public:
  explicit Blocked(std::initializer_list<int> signals) {
    sigemptyset(&set);
    for (const int number : signals) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;
  sigset_t set{};

 private:
  sigset_t before_{};
};

// A descriptor that holds the lock until it is closed; negative when another process holds it.
int lock_directory(const std::filesystem::path& path) {
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0 && flock(directory, LOCK_EX | LOCK_NB) != 0) {
    close(directory);
    return -1;
  }
  return directory;
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string name =
      (std::filesystem::temp_directory_path() / (std::string(kScratchPrefix) + "XXXXXX")).string();
  const auto fail = [&] {
    throw std::filesystem::filesystem_error("no temporary directory", name,
                                            std::error_code(errno, std::generic_category()));
  };
  int answer[2];
  if (pipe2(answer, O_CLOEXEC) != 0) fail();
  {
    const Blocked terminate{SIGTERM};
    const pid_t parent = getpid();
    janitor_ = fork();
    if (janitor_ == 0) janitor(parent, terminate.set, name.data(), answer[1]);
  }
  close(answer[1]);
  std::string told(name.size(), '\0');
  const ssize_t got = janitor_ < 0 ? -1 : ::read(answer[0], told.data(), told.size());
  close(answer[0]);
  if (got != static_cast<ssize_t>(name.size())) {
    if (janitor_ > 0) waitpid(janitor_, nullptr, 0);
    // The janitor cannot say why: ask again.
    if (mkdtemp(name.data()) != nullptr) rmdir(name.c_str());
    fail();
  }
  path_ = told;
  lock_ = lock_directory(path_);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::kill(janitor_, SIGKILL);
  while (waitpid(janitor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (lock_ >= 0) close(lock_);
}

void remove_abandoned_scratch() {
  namespace fs = std::filesystem;
  // A directory that was made this very moment may not be locked yet.
  const auto recent = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(ignored), ignored)) {
    if (!entry.path().filename().string().starts_with(kScratchPrefix)) continue;
    if (entry.is_symlink(ignored) || entry.last_write_time(ignored) > recent) continue;
    const int lock = lock_directory(entry.path());
    if (lock < 0) continue;
    fs::remove_all(entry.path(), ignored);
    close(lock);
  }
}

std::string ScratchDirectory::write(const std::string& name, const std::string& text) const {
  std::string path = file(name);
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw std::filesystem::filesystem_error(
        "cannot write", path, std::error_code(errno != 0 ? errno : EIO, std::generic_category()));
  return path;
}

std::string ScratchDirectory::read(const std::string& name) const {
  std::ifstream in(path_ / name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int run_child(const std::vector<std::string>& arguments, const ScratchDirectory& scratch,
              const std::string& log) {
  const std::string log_path = scratch.file(log);
  const std::vector<std::string> variables = environment(scratch.path());
  const Job job{pointers_to(arguments), pointers_to(variables), log_path.c_str(), getpid()};
  pid_t child = -1;
  {
    const Blocked awaited{SIGTERM, SIGCHLD};
    child = fork();
    if (child == 0) guard(job, awaited.set);
    if (child > 0) setpgid(child, child);  // whoever comes first
  }
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tuner::cpu
