// Starts programs, and waits for them.

#include "tuner/commands/started_program.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"

extern char** environ;

namespace tuner {
namespace {

using Strings = std::vector<std::string>;

// The environment of the program, as the system takes it.
class Spawning {
 public:
  explicit Spawning(const StartedProgram& program) : words_(program.words) {
    posix_spawnattr_init(&attributes_);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGQUIT}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files_);
    const std::array streams{program.input, program.output, program.errors};
    for (int i = 0; i < 3; ++i) {
      const int from = streams.at(static_cast<std::size_t>(i));
      if (from >= 0) posix_spawn_file_actions_adddup2(&files_, from, i);
    }
    for (char** one = environ; *one != nullptr; ++one) {
      const std::string text(*one);
      const std::string name = text.substr(0, text.find('=') + 1);
      const auto replaces = [&](const std::string& other) { return other.starts_with(name); };
      if (std::ranges::none_of(program.variables, replaces)) variables_.push_back(text);
    }
    variables_.insert(variables_.end(), program.variables.begin(), program.variables.end());
  }
  ~Spawning() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  pid_t start() const {
    pid_t child = 0;
    const int failed = posix_spawnp(&child, words_[0].c_str(), &files_, &attributes_,
                                    pointers(words_).data(), pointers(variables_).data());
    if (failed == 0) return child;
    throw InputError(Complaint{
        {words_[0], 0, 0}, "cannot be started: " + std::string(std::strerror(failed)), ""});
  }

 private:
  static std::vector<char*> pointers(const Strings& from) {
    std::vector<char*> out;
    for (const std::string& one : from) out.push_back(const_cast<char*>(one.c_str()));
    out.push_back(nullptr);
    return out;
  }

  Strings words_, variables_;
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t files_{};
};

}  // namespace

std::filesystem::path object_in_library(const std::string& name, const std::string& why_not) {
  namespace fs = std::filesystem;
  const fs::path beside = fs::path(executable_path()).parent_path().parent_path() / "lib/tuner";
  fs::path object = beside / name;
  std::error_code failed;
  if (fs::is_regular_file(object, failed)) return object;
  throw UnavailableError(object.string() + " is not there: " + why_not);
}

int run_to_end(const StartedProgram& program) {
  const pid_t child = Spawning(program).start();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tuner
