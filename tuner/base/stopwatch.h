#pragma once
// Seconds of the steady clock: how long something took.

#include <chrono>

namespace tuner {

// Reads the steady clock, by which workers report when they were busy.
inline double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

inline double steady_ms() { return 1e3 * steady_seconds(); }

// Since it was made, and what was spent before.
class Stopwatch {
 public:
  explicit Stopwatch(double spent = 0) : begin_(steady_seconds() - spent) {}
  double seconds() const { return steady_seconds() - begin_; }

 private:
  double begin_;
};

}  // namespace tuner
