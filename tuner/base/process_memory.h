#pragma once
// How much memory a process has held, and whether it gives back what it frees.

#include <sys/types.h>

#include <cstdint>

namespace tuner {

// The most physical memory that a living process has held, from /proc; 0 when it is gone.
std::uint64_t peak_resident_bytes(pid_t pid);

// From now on this process keeps up to 128 MiB of what it frees, in whatever pieces, for its next
// allocations, instead of giving them back and having them zeroed again, page fault by page fault.
// For a process that does the same again and again (docs/measured/program.md, Throughput).
void keep_freed_memory();

}  // namespace tuner
