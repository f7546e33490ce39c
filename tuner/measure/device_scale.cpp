// Compares two devices by one variant, and scales the times of one of them.

#include "tuner/measure/device_scale.h"

#include <algorithm>

namespace tuner {
namespace {

// Chips of one model differ by some percent, and by a tenth where one of them is at its limit of
// power or temperature.
constexpr double kMostApart = 0.25;

}  // namespace

DeviceScale scale_of(const Timing& here, const Timing& there, double tie) {
  if (!is_time(here.median) || !is_time(there.median)) return {};
  DeviceScale scale{there.median / here.median};
  const bool meet = there.ci_low <= here.ci_high && here.ci_low <= there.ci_high;
  const double apart = std::max(scale.ratio, 1 / scale.ratio) - 1;
  scale.is_disturbed = !meet && apart > kMostApart;
  if (!meet && apart > tie && !scale.is_disturbed) scale.factor = 1 / scale.ratio;
  return scale;
}

void scale(double factor, Trial& trial) {
  if (factor == 1) return;
  Timing& timing = trial.timing;
  for (double& sample : timing.samples) sample *= factor;
  for (double* time : {&timing.median, &timing.ci_low, &timing.ci_high, &timing.min}) {
    *time *= factor;
  }
  trial.device_scale = factor;
}

}  // namespace tuner
