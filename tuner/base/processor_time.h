#pragma once
// How long a process was ready to run and no processor was free for it.

#include <sys/types.h>

namespace tuner {

// Seconds since it began, over all its threads that are still there. 0 where the system does not
// tell.
double seconds_without_processor(pid_t process);

}  // namespace tuner
