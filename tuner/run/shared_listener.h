#pragma once
// One listener for several threads that tune sizes side by side: it is told one thing at a time,
// and of which lane that is.

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/run/listener.h"

namespace tuner {

class SharedListener {
 public:
  // `target` outlives this.
  explicit SharedListener(RunListener& target) : target_(target) {}

  // Calls action(target), while no other thread does.
  template <typename Action>
  void tell(const RunLane& lane, Action&& action) {
    const std::lock_guard lock(mutex_);
    if (lane != now_) target_.turn_to(lane);
    now_ = lane;
    action(target_);
  }

 private:
  RunListener& target_;
  std::mutex mutex_;
  RunLane now_;
};

// What one thread tells.
class LaneListener final : public RunListener {
 public:
  LaneListener(SharedListener& shared, RunLane lane) : shared_(shared), lane_(std::move(lane)) {}

  void turn_to(const RunLane& lane) override { lane_ = lane; }
  void note(const std::string& text) override {
    shared_.tell(lane_, [&](RunListener& to) { to.note(text); });
  }
  void begin(const RunPart& part) override {
    shared_.tell(lane_, [&](RunListener& to) { to.begin(part); });
  }
  void reached(std::string_view step) override {
    shared_.tell(lane_, [&](RunListener& to) { to.reached(step); });
  }
  void trial(const Trial& trial, double seconds) override {
    shared_.tell(lane_, [&](RunListener& to) { to.trial(trial, seconds); });
  }
  void after_search(const AfterSearch& now) override {
    shared_.tell(lane_, [&](RunListener& to) { to.after_search(now); });
  }
  void ranked(const SizeOutcome& outcome) override {
    shared_.tell(lane_, [&](RunListener& to) { to.ranked(outcome); });
  }

 private:
  SharedListener& shared_;
  RunLane lane_;
};

}  // namespace tuner
