// Reads from /proc how much memory a process has held.

#include "tuner/base/process_memory.h"

#include <fstream>
#include <string>

namespace tuner {

std::uint64_t peak_resident_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace tuner
