// Lets the blocks of a cooperative launch wait for each other.

#include "tuner/plugins/cpu/grid_meeting.h"

namespace tuner::cpu {

bool GridMeeting::wait() {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = round_;
  if (!left_ && ++waiting_ == blocks_) {
    waiting_ = 0;
    ++round_;
    all_here_.notify_all();
  }
  all_here_.wait(lock, [&] { return round_ != round || left_; });
  return round_ != round;
}

void GridMeeting::leave() {
  const std::lock_guard lock(mutex_);
  left_ = true;
  all_here_.notify_all();
}

}  // namespace tuner::cpu
