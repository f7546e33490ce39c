// Explains a crash in the signal's handler, in which only few functions may be called.

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "tuner/plugins/cpu/block_runner.h"

namespace tuner::cpu {

#ifdef TUNER_SANITIZED  // which explains more, and has its own handlers

CrashReport::CrashReport() = default;
CrashReport::~CrashReport() = default;
void prepare_for_crashes() {}

#else

namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE};

// The handlers from before the first of several reports, which backends of one process may have.
std::array<struct sigaction, kSignals.size()> handlers_before;
std::atomic<int> reports{0};

void restore_handlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &handlers_before[i], nullptr);
  }
}

// The processor says no address where its rules are broken: a vector that is misaligned, or an
// address with more bits than there are.
BlockRunner::Crash kind_of(int signal, const siginfo_t& info) {
  using Crash = BlockRunner::Crash;
  if (signal == SIGFPE) return Crash::kDivision;
  return info.si_code == SI_KERNEL ? Crash::kUnknownAddress : Crash::kAddress;
}

void explain(int signal, siginfo_t* info, void*) {
  char text[400];
  const std::size_t length =
      BlockRunner::explain_crash(kind_of(signal, *info), info->si_addr, text);
  if (write(STDERR_FILENO, text, length) < 0) {
  }  // there is nobody to tell
  restore_handlers();
  // The instruction is tried again, and nobody helps it this time.
  if (info->si_code <= 0) raise(signal);
}

class SignalStack {
 public:
  SignalStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    now = {};
    now.ss_sp = room_;
    now.ss_size = sizeof room_;
    is_set_ = sigaltstack(&now, nullptr) == 0;
  }
  ~SignalStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (is_set_) sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  alignas(16) std::byte room_[16384];
  bool is_set_ = false;
};

}  // namespace

CrashReport::CrashReport() {
  if (reports++ > 0) return;
  struct sigaction action {};
  action.sa_sigaction = explain;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &handlers_before[i]);
  }
}

CrashReport::~CrashReport() {
  if (--reports == 0) restore_handlers();
}

void prepare_for_crashes() { thread_local const SignalStack stack; }

#endif

}  // namespace tuner::cpu
