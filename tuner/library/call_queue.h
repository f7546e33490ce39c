#pragma once
// Calls that one thread wants done and another one does when it has time for them.

#include <condition_variable>
#include <functional>
#include <mutex>

namespace libtuner {

class CallQueue {
 public:
  // Waits until another thread has done it. False, at once, while the queue is closed: it is not
  // done. `expected_ms`: what it will probably take; 0: not known, or very little.
  bool call(const std::function<void()>& body, double expected_ms = 0);

  // Does what waits, and what comes soon after, until `end` of the clock (milliseconds): at least
  // one call, however long it takes, and no further one that is expected to end later. Whether it
  // did any.
  bool work_until(double end, const std::function<double()>& now_ms);

  void open();
  // Whoever waits for a call that has not begun gets false.
  void close();

 private:
  enum class Next { kDone, kTooLong, kNone };
  // Does the call that waits, if it is expected to take no longer than that.
  Next do_next(double most_ms);
  // Whether a call waits, now or before so long.
  bool wait_for_call(double ms);

  enum class State { kNone, kWaiting, kRunning, kDone };

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* body_ = nullptr;
  double expected_ms_ = 0;
  State state_ = State::kNone;
  bool is_open_ = false;
};

}  // namespace libtuner
