#pragma once
// How one device's times compare with those of another device of the same model.

#include "tuner/model/trial.h"

namespace tuner {

struct DeviceScale {
  double ratio = 1;   // how long a variant takes there over how long it takes here
  double factor = 1;  // what times that are measured there are multiplied by; 1: they stand
  // Two devices of one model are never so far apart: something disturbed one of the measurements,
  // and nothing is scaled by them.
  bool is_disturbed = false;
};

// Of one variant that both devices measured. The devices differ where the intervals of the medians
// do not meet, and the medians are further apart than `tie` (a share) of each other.
DeviceScale scale_of(const Timing& here, const Timing& there, double tie);

// The times of a trial as the other device would have them, and the mark that they were scaled.
// Metrics and objective have to be made of them anew.
void scale(double factor, Trial& trial);

}  // namespace tuner
