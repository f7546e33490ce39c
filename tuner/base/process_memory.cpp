// Reads from /proc how much memory a process has held; tells the allocator what to keep.

#include "tuner/base/process_memory.h"

#include <malloc.h>

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
