// Waits for a program or for its own parent's end, and leaves no process behind.

#include "tuner/base/keeper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tuner/base/child_process.h"
#include "tuner/base/stopwatch.h"

namespace tuner {
namespace {

constexpr int kNotExecuted = 127;

// Reports on standard error, which the parent keeps.
[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), std::strerror(errno));
  ::_exit(kNotExecuted);
}

[[noreturn]] void become(const std::vector<std::string>& argv) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words.front(), words.data());
  give_up("cannot start " + argv.front());
}

// Ends and reaps all children, and those of theirs that become ours then. Who removes temporary
// files gets a moment. Whoever forks faster than it is killed is not to be caught.
void end_children() {
  constexpr double kPatience = 1;
  constexpr double kMostSeconds = 10;
  const Stopwatch since;
  while (::waitpid(-1, nullptr, WNOHANG) >= 0 && since.seconds() < kMostSeconds) {
    const int signal = since.seconds() < kPatience ? SIGTERM : SIGKILL;
    for (const pid_t child : children_of(::getpid())) ::kill(child, signal);
    ::usleep(1000);
  }
}

// Ends in the same way as the program did, so that the parent sees how.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, WTERMSIG(status));
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WEXITSTATUS(status));
}

// The status with which the program ended, or was ended.
int status_of(pid_t program, const sigset_t& awaited) {
  int status = 0;
  for (;;) {
    if (::sigwaitinfo(&awaited, nullptr) == SIGTERM) {
      ::kill(program, SIGKILL);
      ::waitpid(program, &status, 0);
      return status;
    }
    // Reaps orphans, too. One signal may stand for several processes that ended.
    for (pid_t ended = 1; ended > 0;) {
      ended = ::waitpid(-1, &status, WNOHANG);
      if (ended == program) return status;
    }
  }
}

}  // namespace

void keep(const std::vector<std::string>& argv) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
  ::signal(SIGHUP, SIG_IGN);  // where a session's end reaches all, the coordinator decides
  die_with_parent(SIGTERM);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t program = ::fork();
  if (program == 0) become(argv);
  if (program < 0) give_up("no further process can be started");
  ::close_range(kChildSocket, ~0U, 0);  // the parent sees the program's end by its connection
  const int status = status_of(program, awaited);
  end_children();
  end_as(status);
}

}  // namespace tuner
