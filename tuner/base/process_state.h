#pragma once
// The state of a process as the system reports it: how long it was ready and no processor was free
// for it, whether it is stopped, how old it is, how much memory it has held. Also how many cores
// and how much memory this process may use: a container, a batch system or taskset may leave fewer
// than the machine has.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace tuner {

// The text of a file of /proc, or of any other; empty when it cannot be read.
std::string text_of_file(const std::string& path);

// Returns a field of /proc/<process>/stat by its number behind the process's name, where 0 is the
// state; empty where the system does not have it.
std::string stat_field(const std::string& process, int number);

// Seconds since it began, over all its threads that are still there. 0 where the system does not
// report them.
double seconds_without_processor(pid_t process);

// Whether somebody has stopped the process (SIGSTOP), so that it does not run until it is let go
// on.
bool is_stopped(pid_t process);

// Seconds since this process was started, its loading included, up to a hundredth too many. 0 where
// the system does not report them.
double process_age();

// ---- memory -------------------------------------------------------------------------------------

// The most physical memory that a living process has held, from /proc; 0 when it is gone.
std::uint64_t peak_resident_bytes(pid_t pid);

// Makes this process keep up to 128 MiB of what it frees, in whatever pieces, for its next
// allocations, instead of giving them back and having them zeroed again, page fault by page fault.
// Meant for a process that does the same again and again (docs/measured/program.md, Throughput).
void keep_freed_memory();

// ---- cores and memory that are left to this process ---------------------------------------------

// The text of a file, or an empty one when it cannot be read.
using TextOf = std::function<std::string(const std::string& path)>;

// Cores by the control groups that `text_of` shows, of version 1 or 2: the smallest quota from the
// process's own group up to the root, rounded up; 0 where there is none. `/proc/self/cgroup` says
// which group it is; inside of a container that path may not be there, and its mount is the group.
unsigned cores_of_quota(const TextOf& text_of);

// Counts the cores that this process may use, at least 1: those of its affinity, which a cpuset
// limits, too, but no more than its quota.
unsigned usable_cores();

// Bytes by the control groups, as cores_of_quota(); 0 where they set no limit.
std::uint64_t memory_of_groups(const TextOf& text_of);

// Bytes that this process and all beside it may use together: those of the machine, but no more
// than its control groups allow.
std::uint64_t usable_memory();

}  // namespace tuner
