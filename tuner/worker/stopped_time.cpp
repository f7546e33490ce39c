// Notices that this process, or a worker, was stopped for a while.

#include "tuner/worker/stopped_time.h"

#include <utility>

#include "tuner/base/processor_time.h"

namespace tuner {

Clock::duration StoppedTime::take(pid_t worker, TimePoint now) {
  // Whoever waits looks again after a second: longer, and this process did not run.
  constexpr std::chrono::seconds kLongest{2};
  constexpr std::chrono::minutes kMostOfWorker{1};
  const Clock::duration since = now - std::exchange(looked_, now);
  if (since > kLongest) return since;
  if (of_worker_ >= kMostOfWorker || !is_stopped(worker)) return {};
  of_worker_ += since;
  return since;
}

}  // namespace tuner
