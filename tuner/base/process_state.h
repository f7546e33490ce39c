#pragma once
// What the system says of a process: how long it was ready and no processor was free for it,
// whether it is stopped, how old it is, and how much memory it has held.

#include <sys/types.h>

#include <cstdint>

namespace tuner {

// Seconds since it began, over all its threads that are still there. 0 where the system does not
// tell.
double seconds_without_processor(pid_t process);

// Whether somebody has stopped the process (SIGSTOP), so that it does not run until it is let go
// on.
bool is_stopped(pid_t process);

// Seconds since this process was started, its loading included, up to a hundredth too many. 0 where
// the system does not tell.
double process_age();

// ---- memory -------------------------------------------------------------------------------------

// The most physical memory that a living process has held, from /proc; 0 when it is gone.
std::uint64_t peak_resident_bytes(pid_t pid);

// From now on this process keeps up to 128 MiB of what it frees, in whatever pieces, for its next
// allocations, instead of giving them back and having them zeroed again, page fault by page fault.
// For a process that does the same again and again (docs/measured/program.md, Throughput).
void keep_freed_memory();

}  // namespace tuner
