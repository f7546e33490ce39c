#pragma once
// Report on a run's time and memory, for the user: what bounded it, and what would help?

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
#include "tuner/search/tuning_loop.h"

namespace tuner {

struct DeviceBusy {
  DeviceId device{};
  double share = 0;  // of the time
};

// How a stretch of time was used. The four shares are of all of it, and their sum is 1.
struct Utilization {
  double seconds = 0;
  unsigned workers = 1;               // that compile
  std::array<double, 4> compilers{};  // busy, as a share of all of them, by quarter of the time
  std::array<double, 4> device{};     // busy, likewise, as a share of all devices
  std::vector<DeviceBusy> devices{};  // those that did something
  double all_compile = 0;             // every compile worker is at work
  double device_only = 0;             // every device is, and not every compile worker
  double few_compile = 0;             // some are, and others of both kinds wait
  double nothing = 0;                 // nothing is compiled or run
  double stragglers = 0;              // of few_compile: all that is compiled takes far too long
};

// Summarises the time from `begin` to `end`, in which the work in `load` took place.
Utilization utilization_of(const Load& load, double begin, double end);

// Bottleneck of a run: where most of the time was spent, and what would make the run shorter where
// `usable` cores may be used.
struct Bottleneck {
  std::string by;
  std::string help;  // empty: no setting would
};
// Finds the bottleneck. `is_default`: whether the strategy is the default.
Bottleneck bottleneck_of(const Utilization& utilization, unsigned usable, bool is_default);

class Usage {
 public:
  // `begin`: when the evaluator's clock was 0, by the load's clock.
  Usage(const MeasuringDevice& device, double begin) : device_(device), begin_(begin) {}

  void trial(const Trial& trial, double now);
  // After `seconds`; empty when nothing was run.
  std::optional<Utilization> utilization(double seconds) const;
  // Describes it for the user.
  std::string text(const Utilization& utilization) const;

 private:
  const MeasuringDevice& device_;
  double begin_;
  double first_ = -1;
  double dropped_ = 0;
};

// Describes what the end of the time cut short, after so many seconds; empty for nothing.
std::string cancelled_text(const LoopResult& loop, double seconds);
// Counts compilations that nobody waited for; empty for none.
std::string stragglers_text(const LoopResult& loop);
// Which of several devices measured how much, and how they compare; empty for one device.
std::string devices_text(const std::vector<DeviceShare>& devices);
// Describes changes of the device's speed that are worth a line; else empty.
std::string drift_text(const Drift& drift);
// How many trials were answered by another variant that is the same program, and which parameters
// make no other; empty for none.
std::string duplicates_text(const DuplicateTally& duplicates,
                            const std::vector<Parameter>& parameters);

}  // namespace tuner
