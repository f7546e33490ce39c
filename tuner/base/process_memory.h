#pragma once
// How much memory a process has held.

#include <sys/types.h>

#include <cstdint>

namespace tuner {

// The most physical memory that a living process has held, from /proc; 0 when it is gone.
std::uint64_t peak_resident_bytes(pid_t pid);

}  // namespace tuner
