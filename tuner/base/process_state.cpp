// Reads /proc, and tells the allocator what to keep.

#include "tuner/base/process_state.h"

#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace tuner {

double seconds_without_processor(pid_t process) {
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  std::error_code failed;
  std::uint64_t waited = 0;
  for (std::filesystem::directory_iterator task(tasks, failed), end; !failed && task != end;
       task.increment(failed)) {
    // Nanoseconds on a processor, nanoseconds waiting for one, how often it got one.
    std::uint64_t ran = 0;
    std::uint64_t waiting = 0;
    std::ifstream(task->path() / "schedstat") >> ran >> waiting;
    waited += waiting;
  }
  return static_cast<double>(waited) / 1e9;
}

bool is_stopped(pid_t process) {
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), text);
  std::string state;
  std::istringstream(text.substr(text.find_last_of(')') + 1)) >> state;
  return state == "T";
}

double process_age() {
  constexpr int kFieldsBefore = 19;  // proc(5): between the name's parenthesis and the start
  std::string text;
  std::getline(std::ifstream("/proc/self/stat"), text);
  std::istringstream fields(text.substr(text.find_last_of(')') + 1));
  for (int i = 0; i < kFieldsBefore; ++i) fields >> text;
  double started = 0;  // ticks since the machine was booted
  timespec now{};
  if (!(fields >> started) || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  started /= static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - started;
}

// ---- memory -------------------------------------------------------------------------------------

std::uint64_t peak_resident_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  // Larger pieces than these would still be mapped on their own; it is the largest that glibc
  // takes.
  constexpr int kLargestPiece = 32 << 20;
  constexpr int kKept = 128 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargestPiece);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

}  // namespace tuner
