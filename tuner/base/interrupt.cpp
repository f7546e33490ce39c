// Signal handlers that only count and wake whoever waits.

#include "tuner/base/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "tuner/base/error.h"

namespace tuner {
namespace {

// A signal handler can reach nothing else than statics. It runs on any thread, and all look.
std::atomic<int> g_count = 0;
std::atomic<int> g_hung_up = 0;
static_assert(std::atomic<int>::is_always_lock_free);
int g_pipe[2] = {-1, -1};

constexpr unsigned kGraceSeconds = 3;  // after the second signal

void on_alarm(int) { ::_exit(130); }

void on_signal(int number) {
  // A terminal that closes sends SIGHUP twice, by its shell and by the kernel: count it once.
  if (number == SIGHUP && g_hung_up != 0) return;
  if (number == SIGHUP) g_hung_up = 1;
  const int saved = errno;
  const int count = ++g_count;
  if (count > 2) ::_exit(130);
  if (count == 2) ::alarm(kGraceSeconds);
  [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], "x", 1);
  errno = saved;
}

}  // namespace

int stop_signals() { return g_count; }

Interrupt::Interrupt() {
  g_count = 0;
  g_hung_up = 0;
  if (::pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw FatalError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // Under nohup SIGHUP is ignored, and stays so.
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
}

Interrupt::~Interrupt() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  struct sigaction now {};
  ::sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler != SIG_IGN) ::signal(SIGHUP, SIG_DFL);
  ::alarm(0);
  ::signal(SIGALRM, SIG_DFL);
  for (int& fd : g_pipe) {
    ::close(fd);
    fd = -1;
  }
}

int Interrupt::count() const { return stop_signals(); }
int Interrupt::fd() const { return g_pipe[0]; }

}  // namespace tuner
