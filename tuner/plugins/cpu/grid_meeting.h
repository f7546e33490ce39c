#pragma once
// Where the blocks of a cooperative launch, each on an OS thread, wait for each other.

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tuner::cpu {

class GridMeeting {
 public:
  explicit GridMeeting(std::uint64_t blocks) : blocks_(blocks) {}

  // Returns when all blocks have come. False when one has ended and can no longer come.
  bool wait() {
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

  // A block has ended, and the others need not wait.
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    all_here_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::uint64_t blocks_;
  std::uint64_t waiting_ = 0;
  std::uint64_t round_ = 0;
  bool left_ = false;
};

}  // namespace tuner::cpu
