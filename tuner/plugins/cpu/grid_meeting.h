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
  bool wait();
  // A block has ended, and the others need not wait.
  void leave();

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::uint64_t blocks_;
  std::uint64_t waiting_ = 0;
  std::uint64_t round_ = 0;
  bool left_ = false;
};

}  // namespace tuner::cpu
