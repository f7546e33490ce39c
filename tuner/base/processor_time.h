#pragma once
// How long a process was ready to run and no processor was free for it, whether it is stopped, and
// how old this one is.

#include <sys/types.h>

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

}  // namespace tuner
