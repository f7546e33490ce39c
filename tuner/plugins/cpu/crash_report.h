#pragma once
// What a kernel did that ends the process, told on standard error before it ends.

#include <csignal>

namespace tuner::cpu {

// While one lives, a signal that a kernel's own instruction caused is explained. Then the process
// ends as it would have without.
class CrashReport {
 public:
  CrashReport();
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;
};

// Gives the calling OS thread a stack for signals: that of a kernel may be what is full.
void prepare_for_crashes();

}  // namespace tuner::cpu
