#pragma once
// Time that does not count against a worker: a batch system may stop a job, and let it go on later.

#include <sys/types.h>

#include "tuner/worker/channel.h"

namespace tuner {

class StoppedTime {
 public:
  // What went by since the last call while this process did not run, or while `worker` was stopped:
  // of that, a minute at most since begin(), because a kernel may stop its worker itself. Made for
  // being called every second at least.
  Clock::duration take(pid_t worker, TimePoint now = Clock::now());
  // From now on.
  void begin(TimePoint now = Clock::now()) { *this = StoppedTime(now); }
  explicit StoppedTime(TimePoint now = Clock::now()) : looked_(now) {}

 private:
  TimePoint looked_;
  Clock::duration of_worker_{};
};

}  // namespace tuner
