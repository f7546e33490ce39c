#pragma once
// A limit for all that is done with one drafted study.

#include "tuner/base/interrupt.h"
#include "tuner/base/stopwatch.h"

namespace tuner {

// Signals, and seconds from now.
class TimeLimit final : public StopRequest {
 public:
  explicit TimeLimit(double seconds) : seconds_(seconds) {}
  bool is_over() const { return since_.seconds() > seconds_; }
  int count() const override { return interrupt_.count() + (is_over() ? 2 : 0); }
  int fd() const override { return interrupt_.fd(); }
  bool is_interrupted() const { return interrupt_.count() > 0; }

 private:
  double seconds_;
  Interrupt interrupt_;
  Stopwatch since_;
};

}  // namespace tuner
