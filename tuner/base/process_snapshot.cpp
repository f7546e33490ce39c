// Asks the system for what is set for this process, and compares two answers.

#include "tuner/base/process_snapshot.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdint>

extern char** environ;

namespace tuner {
namespace {

// Bytes of a value that the system filled in; padding must have been zero.
template <typename T>
void add(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string limits() {
  std::string text;
  for (int resource = 0; resource < RLIMIT_NLIMITS; ++resource) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
    add(text, limit);
  }
  return text;
}

std::string current_folder() {
  struct stat facts {};
  std::string text;
  if (::stat(".", &facts) != 0) return text;
  add(text, facts.st_dev);
  add(text, facts.st_ino);
  return text;
}

std::string file_mask() {
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return std::to_string(mask);
}

std::string signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  std::string text;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    add(text, action.sa_handler);
    text += sigismember(&blocked, number) == 1 ? 'b' : '-';
  }
  return text;
}

std::string timers() {
  std::string text;
  for (const auto which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer{};
    ::getitimer(which, &timer);
    text += timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0 ? 'r' : '-';
  }
  return text;
}

std::string environment() {
  std::string text;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    text.append(*one);
    text += '\0';
  }
  return text;
}

std::string processors() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::sched_getaffinity(0, sizeof cores, &cores);
  std::string text;
  add(text, cores);
  return text + std::to_string(::getpriority(PRIO_PROCESS, 0));
}

// Without the flags of what has happened, which each operation may set.
std::string arithmetic() {
  std::string text = std::to_string(std::fegetround());
#ifdef __SSE__
  constexpr unsigned kFlags = 0x3F;
  text += ' ' + std::to_string(__builtin_ia32_stmxcsr() & ~kFlags);
#endif
  return text;
}

std::size_t open_files() {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  std::size_t count = 0;
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

std::size_t most_open_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

}  // namespace

ProcessSnapshot process_snapshot() {
  return {{{"a limit of the process", limits()},
           {"its current folder", current_folder()},
           {"the mode of new files (umask)", file_mask()},
           {"how signals are handled", signals()},
           {"a timer", timers()},
           {"its environment", environment()},
           {"the processors or the priority that it has", processors()},
           {"how numbers are rounded", arithmetic()}},
          open_files()};
}

std::string changed_since(const ProcessSnapshot& before, const ProcessSnapshot& now) {
  std::string names;
  const auto name = [&names](const std::string& what) {
    names += (names.empty() ? "" : ", ") + what;
  };
  for (std::size_t i = 0; i < before.properties.size(); ++i) {
    if (before.properties[i] != now.properties[i]) name(before.properties[i].first);
  }
  const std::size_t most = std::max(most_open_files(), before.open_files);
  // Where so many are open that none is left to look with, nothing was counted.
  const bool is_blind = now.open_files == 0 && before.open_files > 0;
  if (is_blind || now.open_files > before.open_files + (most - before.open_files) / 2) {
    name("files that it has left open");
  }
  return names;
}

bool is_clock_honest() {
  const auto of_system = [] {
    timespec time{};
    ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = of_system();
  const auto told = std::chrono::steady_clock::now().time_since_epoch();
  return before <= told && told <= of_system();
}

}  // namespace tuner
