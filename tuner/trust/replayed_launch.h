#pragma once
// A captured launch on its own, in a fresh process: does it write what it wrote in its application,
// and how long does it take?

#include <string>

#include "tuner/bench/devices.h"
#include "tuner/model/captured_launch.h"
#include "tuner/model/trial.h"

namespace tuner {

struct ReplayedLaunch {
  bool is_equal = false;   // to the bit
  bool is_checked = true;  // false: the launch wrote nothing that could be compared
  std::string difference;  // of what it wrote, in words; empty: there is none
  Timing cold, hot;        // caches emptied before each launch, or left as the last one left them
  Resources resources;
  Metrics counters;         // empty: none can be read
  std::string no_counters;  // why
};

// Throws UnavailableError where there is no such device or its memory cannot be placed, FatalError
// with the reason where the launch fails or is not to be repeated.
ReplayedLaunch replay_launch(const CapturedLaunch& launch, unsigned device, double timeout,
                             const Caller& caller);

}  // namespace tuner
