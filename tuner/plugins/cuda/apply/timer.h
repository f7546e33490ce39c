#pragma once
// Times of launches, by events of the driver around some of them.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "tuner/plugins/cuda/apply/driver.h"

namespace tuner::apply {

// Sum over the launches of one kind that were timed, each with the number of launches that it
// stands for. Guarded by its timer's mutex.
struct Times {
  std::uint64_t timed = 0;
  double weight = 0;
  double ms = 0;
};

struct EventPair {
  CUevent begin = nullptr, end = nullptr;
  CUcontext context = nullptr;
};

class Timer {
 public:
  // How many launches the timing of the launch with this number (from 0) stands for; 0: it is not
  // timed. The first are all timed, then some, so that a million short ones are hardly slower.
  static unsigned weight_of(std::uint64_t number) {
    constexpr std::uint64_t kAll = 64, kEach = 64;
    return number < kAll ? 1 : number % kEach == 0 ? kEach : 0;
  }

  // Begins with a launch in a stream of the current context. False where it is not timed: too
  // many others have not ended yet, or the driver refuses.
  bool begin(CUcontext context, CUstream stream, EventPair& pair) noexcept;
  void end(CUstream stream, const EventPair& pair, unsigned weight, Times& times) noexcept;
  // Takes the times of launches that have ended; waits for all of them, but not for long, where
  // `to_the_end`.
  void collect(bool to_the_end) noexcept;
  // The events of a context are gone with it.
  void forget_contexts() noexcept;
  std::mutex& mutex() { return mutex_; }

 private:
  struct Pending {
    EventPair pair;
    unsigned weight;
    Times* times;
  };
  bool collect_first();
  bool take(CUcontext context, EventPair& pair);

  std::mutex mutex_;
  std::map<CUcontext, std::vector<EventPair>> free_;
  std::deque<Pending> pending_;
};

}  // namespace tuner::apply
