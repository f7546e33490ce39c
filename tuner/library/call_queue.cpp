// Hands one call after the other from thread to thread.

#include "tuner/library/call_queue.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace libtuner {
namespace {

// Who has done something waits so long for what comes next: mostly it takes microseconds, and a few
// milliseconds when a trial is committed in between.
constexpr double kPatienceMs = 2;

}  // namespace

bool CallQueue::call(const std::function<void()>& body, double expected_ms) {
  std::unique_lock lock(mutex_);
  if (!is_open_) return false;
  body_ = &body;
  expected_ms_ = expected_ms;
  state_ = State::kWaiting;
  changed_.notify_all();
  changed_.wait(
      lock, [this] { return state_ == State::kDone || (!is_open_ && state_ == State::kWaiting); });
  const bool done = state_ == State::kDone;
  state_ = State::kNone;
  return done;
}

CallQueue::Next CallQueue::do_next(double most_ms) {
  std::unique_lock lock(mutex_);
  if (!is_open_ || state_ != State::kWaiting) return Next::kNone;
  if (expected_ms_ > most_ms) return Next::kTooLong;
  state_ = State::kRunning;
  const std::function<void()>& body = *body_;
  lock.unlock();
  body();
  lock.lock();
  state_ = State::kDone;
  changed_.notify_all();
  return Next::kDone;
}

bool CallQueue::wait_for_call(double ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double, std::milli>(ms),
                           [this] { return is_open_ && state_ == State::kWaiting; });
}

bool CallQueue::work_until(double end, const std::function<double()>& now_ms) {
  bool any = false;
  for (double left = end - now_ms(); left > 0; left = end - now_ms()) {
    const Next next = do_next(any ? left : std::numeric_limits<double>::infinity());
    if (next == Next::kTooLong) break;
    any = any || next == Next::kDone;
    if (next == Next::kNone && !(any && wait_for_call(std::min(left, kPatienceMs)))) break;
  }
  return any;
}

void CallQueue::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
}

void CallQueue::close() {
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  changed_.notify_all();
}

}  // namespace libtuner
