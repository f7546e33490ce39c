// Asks the system for what is set for this process, and compares two answers.

#include "tuner/base/process_snapshot.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>

#include "tuner/base/process_state.h"

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

std::vector<pid_t> threads() {
  std::vector<pid_t> all;
  DIR* const folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return all;
  while (const dirent* const entry = ::readdir(folder)) {
    if (const int number = std::atoi(entry->d_name); number > 0) all.push_back(number);
  }
  ::closedir(folder);
  std::ranges::sort(all);
  return all;
}

// Lists scheduling policy, priority and cores of each thread, since a kernel's blocks run on
// several; threads that have the same are listed once.
std::string processors(std::vector<pid_t> threads) {
  if (threads.empty()) threads.push_back(0);  // no file is left to look with
  std::set<std::string> different;
  for (const pid_t thread : threads) {
    std::string text = std::to_string(::sched_getscheduler(thread)) + ' ' +
                       std::to_string(::getpriority(PRIO_PROCESS, static_cast<id_t>(thread)));
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (::sched_getaffinity(thread, sizeof cores, &cores) != 0) continue;  // it has just ended
    add(text, cores);
    different.insert(text);
  }
  std::string all;
  for (const std::string& one : different) all += one;
  return all;
}

std::string rights() {
  std::string text = std::to_string(::geteuid()) + ' ' + std::to_string(::getegid());
  for (const int asked : {PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, PR_GET_THP_DISABLE}) {
    text += ' ' + std::to_string(::prctl(asked, 0, 0, 0, 0));
  }
  return text;
}

bool has_children() {
  siginfo_t ended{};
  int found = 0;
  do {
    ended.si_pid = 0;
    found = ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG);
  } while (found == 0 && ended.si_pid != 0);
  return found == 0;
}

// Whether it runs, or sleeps until a time comes.
bool is_at_work(pid_t thread) {
  const std::string number = "self/task/" + std::to_string(thread);
  if (const std::string state = stat_field(number, 0); state != "S") return state == "R";
  const std::string call = text_of_file("/proc/" + number + "/syscall");
  const int which = std::atoi(call.c_str());
  return call.starts_with("running") || which == SYS_nanosleep || which == SYS_clock_nanosleep;
}

bool leaves_at_work(const std::vector<pid_t>& threads) {
  constexpr std::chrono::milliseconds kPatience{250};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::ranges::any_of(threads, is_at_work)) {
    if (std::chrono::steady_clock::now() > until) return true;
    ::usleep(1000);
  }
  return false;
}

// Returns rounding and modes of the floating-point unit, without the flags of what has happened,
// which each operation may set.
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
  std::vector<pid_t> all = threads();
  return {{{"a limit of the process", limits()},
           {"its current folder", current_folder()},
           {"the mode of new files (umask)", file_mask()},
           {"how signals are handled", signals()},
           {"a timer", timers()},
           {"its environment", environment()},
           {"the processors or the priority that it has", processors(all)},
           {"what the system lets it do", rights()},
           {"how numbers are rounded", arithmetic()}},
          open_files(),
          has_children(),
          std::move(all)};
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
  // Nothing could be counted if so many files are open that none is left to look with.
  const bool is_blind = now.open_files == 0 && before.open_files > 0;
  if (is_blind || now.open_files > before.open_files + (most - before.open_files) / 2) {
    name("files that it has left open");
  }
  if (now.has_children && !before.has_children) name("processes that it has left running");
  std::vector<pid_t> left;
  std::ranges::set_difference(now.threads, before.threads, std::back_inserter(left));
  if (leaves_at_work(left)) name("threads that it has left running");
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
