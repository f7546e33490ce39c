// Ends the processes that a child has left behind.

#include "tuner/base/leftovers.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace tuner {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Empty on a system that does not list them.
std::vector<pid_t> children() {
  std::vector<pid_t> out;
  std::error_code failed;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t pid = 0; list >> pid;) out.push_back(pid);
  }
  return out;
}

bool has_mark(pid_t pid, const std::string& mark) {
  const std::string variables = '\0' + text_of("/proc/" + std::to_string(pid) + "/environ");
  return variables.find('\0' + mark + '\0') != std::string::npos;
}

}  // namespace

std::string unique_mark() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return "TUNER_CHILD=" + std::to_string(::getpid()) + "." + std::to_string(now);
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void end_leftovers(const std::string& mark) {
  constexpr int kGenerations = 100;  // whoever forks faster than that is not to be caught
  bool found = true;
  for (int i = 0; found && i < kGenerations; ++i) {
    found = false;
    for (const pid_t pid : children()) {
      if (!has_mark(pid, mark)) continue;
      found = true;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
}

}  // namespace tuner
