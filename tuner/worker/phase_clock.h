#pragma once
// How long a variant may take on the device, phase by phase (load, verify, probe, estimate, ...).

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "tuner/model/plan.h"
#include "tuner/worker/channel.h"

namespace tuner {

struct RunLimits {
  double configuration_seconds = 60;  // absolute, for one configuration on the device
  // Once a best is known, one launch may take this many times longer, but never less than the
  // floor (a loaded machine, a cold driver).
  double best_factor = 100;
  double launch_floor_seconds = 3;
  double prepare_seconds = 600;  // fills and an answer of the reference, on a slow device
  double remeasure_seconds = 600;
};

class PhaseClock {
 public:
  explicit PhaseClock(const RunLimits& limits) : limits_(limits) {}

  // Sets the limits that follow from the size that is prepared.
  void set_plan(const SizePlan& plan);
  // Best valid launch of the current size in ms; 0 = not known.
  void set_best(double ms) { best_ms_ = ms; }

  // Computes the time limit of a phase, in which the kernel is launched so often.
  double seconds(const std::string& phase, std::size_t launches = 1) const;
  // A configuration begins with this phase, in this process.
  void begin(const std::string& phase, pid_t process);
  void enter(const std::string& phase);
  // A worker that had to wait for a processor most of the time is slow through no fault of its own:
  // its phase begins anew, within the time of the whole configuration.
  bool gets_more_time();

  // Adds time in which nothing ran to the deadlines. Call it every second.
  void give_back_stopped();

  const std::string& phase() const { return phase_; }
  TimePoint started() const { return started_; }  // the configuration
  TimePoint deadline() const { return deadline_; }

 private:
  RunLimits limits_;
  double best_ms_ = 0;
  bool works_on_host_ = false;  // of a plugin, which works on the host
  double sampling_seconds_ = 0;
  pid_t process_ = 0;
  std::string phase_;
  TimePoint started_;
  TimePoint began_;
  StoppedTime stopped_;
  double waited_ = 0;  // seconds without a processor, when the phase began
  TimePoint deadline_ = TimePoint::max();
};

}  // namespace tuner
