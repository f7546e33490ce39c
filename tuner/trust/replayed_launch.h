#pragma once
// A captured launch on its own, in a fresh process: does it write what it wrote in its application,
// and how long does it take?

#include <optional>
#include <string>

#include "tuner/bench/devices.h"
#include "tuner/model/captured_launch.h"
#include "tuner/model/plan.h"
#include "tuner/model/trial.h"

namespace tuner {

// Largest differences between numbers that a kernel writes which adds floats in no fixed order.
struct Spread {
  double from_program = 0;    // of launches here from the captured one
  double among_launches = 0;  // of launches here from the first one here
  // Whether the captured launch may be one of those here: the largest of a few differences is
  // seldom the largest of all.
  bool holds_program() const { return from_program <= 4 * among_launches; }
};

struct ReplayedLaunch {
  bool is_equal = false;   // to the bit
  bool is_checked = true;  // false: the launch wrote nothing that could be compared
  std::string difference;  // of what it wrote, in words; empty: there is none
  // Distances, where the launch differs and leaves other floats each time.
  std::optional<Spread> spread;
  Timing cold, hot;  // caches emptied before each launch, or left as the last one left them
  Resources resources;
  Metrics counters;         // empty: none can be read
  std::string no_counters;  // why
  // Whether it writes what it wrote in its application, as far as it repeats itself.
  bool is_right() const { return is_equal || (spread && spread->holds_program()); }
};

// Has all that the launch writes pass, compared as the floats that its parameters point to, so that
// a verdict has the largest difference. `plan` is that of plans_of(). Returns false where something
// else than floats is written, or the kernel's name shows no types.
bool ask_for_distance(const CapturedLaunch& launch, SizePlan& plan);

// Throws UnavailableError where there is no such device or its memory cannot be placed, FatalError
// with the reason where the launch fails or is not to be repeated.
ReplayedLaunch replay_launch(const CapturedLaunch& launch, unsigned device, double timeout,
                             const Caller& caller);

}  // namespace tuner
