#pragma once
// Where a run's time and memory went, for the user: what would more cores, or a better strategy,
// bring?

#include <string>

#include "tuner/model/trial.h"
#include "tuner/ports/size_evaluator.h"

namespace tuner {

class Usage {
 public:
  explicit Usage(const MeasuringDevice& device) : device_(device), before_(device.load()) {}

  void trial(const Trial& trial, double now);
  // After `seconds`; empty when nothing was run.
  std::string text(double seconds) const;
  // What was busy nearly all the time, so that only more or faster ones would have ended it sooner;
  // empty when nothing was.
  std::string bound(double seconds) const;

 private:
  const MeasuringDevice& device_;
  Load before_;
  double first_ = -1;
  double dropped_ = 0;
};

// Where the device's speed changed enough to be worth a line; else empty.
std::string drift_text(const Drift& drift);
// How many trials were answered by another variant that is the same program; empty for none.
std::string twins_text(std::size_t twins);

}  // namespace tuner
