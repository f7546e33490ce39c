#pragma once
// Memory and cancellation while a space is built.

#include <cstddef>
#include <functional>

namespace tuner::detail {

// Building stopped early.
struct BuildStopped {
  bool out_of_memory = false;  // else cancelled
};

// Counts the bytes that construction holds and asks whether it should go on.
class BuildMonitor {
 public:
  BuildMonitor(std::size_t limit, const std::function<bool()>& cancelled)
      : limit_(limit), cancelled_(cancelled) {}

  // Throw BuildStopped.
  void hold(std::size_t bytes) {
    held_ += bytes;
    if (held_ > peak_) peak_ = held_;
    if (held_ > limit_) throw BuildStopped{true};
  }
  void poll() const {
    if (cancelled_ && cancelled_()) throw BuildStopped{false};
  }

  void release(std::size_t bytes) { held_ -= bytes; }
  std::size_t limit() const { return limit_; }
  std::size_t peak() const { return peak_; }
  std::size_t held() const { return held_; }

 private:
  std::size_t limit_;
  const std::function<bool()>& cancelled_;
  std::size_t held_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace tuner::detail
