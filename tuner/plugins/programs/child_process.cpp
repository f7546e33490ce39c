// Runs a compiler in a temporary folder that never outlives it.

#include "tuner/plugins/programs/child_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::programs {
namespace {

constexpr std::string_view kScratchPrefix = "tuner-cpu-";
constexpr std::size_t kScratchRandom = 6;  // characters that mkdtemp puts behind it
constexpr int kGuardLost = 125;
constexpr int kNotExecuted = 127;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Variables that host compilers read. A study says such things in its options instead, which are
// part of what a result is known by.
constexpr const char* kForgotten =
    "CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH OBJCPLUS_INCLUDE_PATH "
    "GCC_EXEC_PREFIX COMPILER_PATH LIBRARY_PATH LD_RUN_PATH DEPENDENCIES_OUTPUT "
    "SUNPRO_DEPENDENCIES GCC_COMPARE_DEBUG GCC_SPECS CCC_OVERRIDE_OPTIONS CCC_ADD_ARGS "
    "CLANG_CONFIG_PATH SDKROOT SOURCE_DATE_EPOCH CL _CL_ NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS "
    "LC_ALL TMPDIR";

// A variable that is empty counts as unset.
std::filesystem::path temporary_folder() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "/tmp";
}

// Data for the processes below, made before they are forked: a fork of a process that may have
// several threads must not allocate.
struct Job {
  std::vector<char*> arguments, environment;
  const char* log;
  const char* folder;
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
  const bool is_there = *job.folder == '\0' || chdir(job.folder) == 0;
  if (is_there && in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 &&
      dup2(out, 2) >= 0) {
    execve(job.arguments[0], job.arguments.data(), job.environment.data());
  }
  _exit(kNotExecuted);
}

// Makes this process outlive its parent, so that it can clean up: it leaves the parent's process
// group, which may be killed as a whole. False when the parent is gone already.
bool outlive(pid_t parent) {
  setpgid(0, 0);
  signal(SIGINT, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

// Kills one child of this process, whose list is a text of numbers; false: it has none.
bool kill_a_child() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char text[32] = {};
  const ssize_t got = ::read(list, text, sizeof text - 1);
  close(list);
  const long child = got > 0 ? std::strtol(text, nullptr, 10) : 0;
  return child > 0 && kill(static_cast<pid_t>(child), SIGKILL) == 0;
}

// Ends what the program has left behind, in whatever session. Whoever forks faster than it is
// killed is not to be caught.
void end_leftovers() {
  constexpr int kMost = 100000;
  for (int i = 0; i < kMost && kill_a_child(); ++i) waitpid(-1, nullptr, 0);
}

// The process between the parent and the program. If the program had the parent's death signal
// itself, the processes that it has started would live on; the guard ends them all. Those that
// leave the program's group become its children when their own parents end.
[[noreturn]] void guard(const Job& job, const sigset_t& awaited) {
  if (!outlive(job.parent)) _exit(kGuardLost);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
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
      end_leftovers();
      _exit(kGuardLost);
    }
    if (received == SIGCHLD && waitpid(program, &status, WNOHANG) == program) {
      end_leftovers();
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
  }
}

// Says of a directory that was made this moment that it is one of ours.
bool mark(const char* directory, std::string_view text) {
  const int there = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int file =
      there < 0 ? -1 : openat(there, kScratchMarker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool marked =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) close(file);
  if (there >= 0) close(there);
  return marked;
}

// Makes the directory, tells its name, and removes it when the parent dies. `path` ends in XXXXXX.
[[noreturn]] void janitor(pid_t parent, const sigset_t& awaited, char* path, int answer) {
  const bool made = outlive(parent) && mkdtemp(path) != nullptr;
  const auto size = static_cast<ssize_t>(std::char_traits<char>::length(path));
  const std::string_view name(path);
  const bool told = made && mark(path, scratch_marker_text(name.substr(name.rfind('/') + 1))) &&
                    ::write(answer, path, static_cast<std::size_t>(size)) == size;
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
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory >= 0 && flock(directory, LOCK_EX | LOCK_NB) != 0) {
    close(directory);
    return -1;
  }
  return directory;
}

// The form that mkdtemp gives a name, no other.
bool is_scratch_name(std::string_view name) {
  if (!name.starts_with(kScratchPrefix)) return false;
  name.remove_prefix(kScratchPrefix.size());
  return name.size() == kScratchRandom && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
         });
}

// Whether a directory is surely this user's and was made by a ScratchDirectory. Root, too, asks
// only for its own.
bool is_own_scratch(int directory, const std::string& name) {
  struct stat facts {};
  if (fstat(directory, &facts) != 0 || facts.st_uid != geteuid()) return false;
  const int marker =
      openat(directory, kScratchMarker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (marker < 0) return false;
  const std::string wanted = scratch_marker_text(name);
  std::string text(wanted.size() + 1, '\0');
  const ssize_t got = ::read(marker, text.data(), text.size());
  const bool regular = fstat(marker, &facts) == 0 && S_ISREG(facts.st_mode);
  close(marker);
  if (!regular || facts.st_uid != geteuid() || got != static_cast<ssize_t>(wanted.size())) {
    return false;
  }
  return text.compare(0, wanted.size(), wanted) == 0;
}

}  // namespace

std::string scratch_marker_text(std::string_view name) {
  return "temporary files of tuner's cpu backend: " + std::string(name) + "\n";
}

ScratchDirectory::ScratchDirectory() {
  std::string name =
      (temporary_folder() / (std::string(kScratchPrefix) + std::string(kScratchRandom, 'X')))
          .string();
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
    if (mkdtemp(name.data()) != nullptr) {
      errno = ENOSPC;  // what a write that is cut short means
      mark(name.c_str(), scratch_marker_text(name));
      const int reason = errno;
      std::error_code ignored;
      std::filesystem::remove_all(name, ignored);
      errno = reason;
    }
    fail();
  }
  path_ = told;
  lock_ = lock_directory(path_);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
  // A program that was killed may still write for a moment: then the janitor goes on.
  ::kill(janitor_, failed ? SIGTERM : SIGKILL);
  while (waitpid(janitor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (lock_ >= 0) close(lock_);
}

void remove_abandoned_scratch() {
  namespace fs = std::filesystem;
  // A directory that was made this very moment may not be locked yet.
  const auto recent = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(temporary_folder(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!is_scratch_name(name)) continue;
    if (entry.is_symlink(ignored) || entry.last_write_time(ignored) > recent) continue;
    const int lock = lock_directory(entry.path());
    if (lock < 0) continue;
    if (is_own_scratch(lock, name)) fs::remove_all(entry.path(), ignored);
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

std::vector<std::string> child_environment(const std::filesystem::path& temporary) {
  std::vector<std::string> out{"LC_ALL=C", "TMPDIR=" + temporary.string()};
  const std::vector<std::string> forgotten = words_of(kForgotten);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (std::ranges::find(forgotten, variable.substr(0, variable.find('='))) == forgotten.end()) {
      out.push_back(variable);
    }
  }
  return out;
}

int run_child(const Child& what) {
  const Job job{pointers_to(what.arguments), pointers_to(what.environment), what.log.c_str(),
                what.folder.c_str(), getpid()};
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

int run_child(const std::vector<std::string>& arguments, const ScratchDirectory& scratch,
              const std::string& log) {
  return run_child({arguments, child_environment(scratch.path()), scratch.file(log)});
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

namespace {

bool says(const std::string& log, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return log.find(word) != std::string::npos; });
}

}  // namespace

void excuse(const std::string& log) {
  if (says(log, {"No space left on device", "Disk quota exceeded", "Read-only file system"})) {
    throw sdk::Error(TUNER_DEVICE_LOST, "temporary files: " + log);
  }
  // The last two are g++'s when the system killed one of its parts.
  if (says(log, {"out of memory", "virtual memory exhausted", "Cannot allocate memory",
                 "Killed signal terminated program", "ended by signal 9"})) {
    throw sdk::Error(TUNER_OUT_OF_MEMORY, log);
  }
}

}  // namespace tuner::programs
