// What a variant can change of the process in which the next one runs, and that it is seen.

#include "tuner/base/process_snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace tuner {
namespace {

// What is seen of a change, which a child makes so that this process stays as it is.
std::string seen(
    const std::function<void()>& change, const std::function<void()>& prepare = [] {}) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    prepare();
    const ProcessSnapshot before = process_snapshot();
    change();
    const std::string text = changed_since(before, process_snapshot());
    const bool told = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], text.data(), 1000))));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

void limit(int resource, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

TEST(ProcessSnapshot, NothingIsSeenWhereNothingChanges) {
  EXPECT_EQ(seen([] { std::fopen("/dev/null", "r"); }), "");
  EXPECT_EQ(seen([] { static_cast<void>(std::feraiseexcept(FE_INEXACT)); }), "");
}

TEST(ProcessSnapshot, ShowsWhatTheNextVariantWouldFindChanged) {
  EXPECT_EQ(seen([] { limit(RLIMIT_FSIZE, 10); }), "a limit of the process");
  EXPECT_EQ(seen([] { static_cast<void>(::chdir("/")); }), "its current folder");
  EXPECT_EQ(seen([] { ::umask(0777); }), "the mode of new files (umask)");
  EXPECT_EQ(seen([] { ::signal(SIGUSR1, SIG_IGN); }), "how signals are handled");
  EXPECT_EQ(seen([] { ::alarm(100); }), "a timer");
  EXPECT_EQ(seen([] { ::setenv("LD_BIND_NOW", "of a test", 1); }), "its environment");
  EXPECT_EQ(seen([] { std::fesetround(FE_UPWARD); }), "how numbers are rounded");
}

// The same of a change that a thread makes which was there before.
std::string seen_of_another_thread(void (*change)()) {
  static std::atomic<void (*)()> asked = nullptr;
  const auto serve = [] {
    for (;; ::usleep(1000)) {
      if (asked == nullptr) continue;
      asked.load()();
      asked = nullptr;
    }
  };
  const auto ask = [change] {
    for (asked = change; asked != nullptr;) ::usleep(1000);
  };
  return seen(ask, [serve] { std::thread(serve).detach(); });
}

TEST(ProcessSnapshot, ShowsWhatIsSetForAnyThread) {
  const std::string processors = "the processors or the priority that it has";
  EXPECT_EQ(seen_of_another_thread([] {}), "");
  EXPECT_EQ(seen_of_another_thread([] { ::setpriority(PRIO_PROCESS, 0, 19); }), processors);
  EXPECT_EQ(seen_of_another_thread([] {
              const sched_param none{};
              ::sched_setscheduler(0, SCHED_BATCH, &none);
            }),
            processors);
}

TEST(ProcessSnapshot, ShowsWhatTheSystemRefusesFromNowOn) {
  EXPECT_EQ(seen([] { ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }), "what the system lets it do");
}

TEST(ProcessSnapshot, ShowsThreadsAndProcessesThatAreStillAtWork) {
  const auto start = [](void (*work)()) { return [work] { std::thread(work).detach(); }; };
  const auto wait = [] { static_cast<void>(::poll(nullptr, 0, 2000)); };
  EXPECT_EQ(seen(start([] {
              for (;;) ::usleep(100);
            })),
            "threads that it has left running");
  EXPECT_EQ(seen(start([] {
              for (std::atomic<int> i = 0;;) ++i;
            })),
            "threads that it has left running");
  EXPECT_EQ(seen(start(wait)), "");
  EXPECT_EQ(seen(start([] { ::usleep(50000); })), "");
  const auto forks = [&](void (*work)()) {
    return [work] {
      if (::fork() != 0) return;
      work();
      ::_exit(0);
    };
  };
  EXPECT_EQ(seen(forks(wait)), "processes that it has left running");
  EXPECT_EQ(seen([&] {
              forks([] {})();
              ::usleep(100000);
            }),
            "");
}

TEST(ProcessSnapshot, OpenFilesCountWhenMostOfThoseThatWereLeftAreTaken) {
  const auto open_files = [](int count) {
    limit(RLIMIT_NOFILE, 100);
    for (int i = 0; i < count; ++i) static_cast<void>(::open("/dev/null", O_RDONLY));
  };
  const std::string limits = "a limit of the process";
  EXPECT_EQ(seen([&] { open_files(10); }), limits);
  EXPECT_EQ(seen([&] { open_files(80); }), limits + ", files that it has left open");
  EXPECT_EQ(seen([&] { open_files(200); }), limits + ", files that it has left open");
}

TEST(ProcessSnapshot, TheClockOfAProcessThatNobodyTouchedIsHonest) {
  EXPECT_TRUE(is_clock_honest());
}

}  // namespace
}  // namespace tuner
