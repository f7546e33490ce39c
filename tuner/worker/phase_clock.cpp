// Makes deadlines of limits, of the best time so far, and of what a phase has to do.

#include "tuner/worker/phase_clock.h"

#include <algorithm>

#include "tuner/base/process_state.h"

namespace tuner {
namespace {

constexpr double kPowerSeconds = 10;

}  // namespace

void PhaseClock::set_plan(const SizePlan& plan) {
  works_on_host_ =
      plan.problem || plan.measure.inputs == TimedInputs::kFresh || plan.measure.by_variant;
  sampling_seconds_ = 20 * plan.measure.max_milliseconds / 1000;
}

double PhaseClock::seconds(const std::string& phase, std::size_t launches) const {
  double launch = limits_.configuration_seconds;
  if (best_ms_ > 0) {
    launch = static_cast<double>(launches) * best_ms_ / 1000 * limits_.best_factor;
    launch =
        std::clamp(launch, std::min(limits_.launch_floor_seconds, limits_.configuration_seconds),
                   limits_.configuration_seconds);
  }
  if (phase == "power") launch += kPowerSeconds;
  // Filling large inputs anew is no work of the variant's.
  if (phase == "inputs" || phase == "observe") launch += limits_.configuration_seconds;
  // Nor is what a problem does on the host, or writing other inputs for each sample.
  if (works_on_host_) launch += limits_.configuration_seconds;
  // Sampling is many launches, bounded by the kernel time that the study allows.
  if (phase == "estimate") launch += sampling_seconds_;
  return launch;
}

void PhaseClock::begin(const std::string& phase, pid_t process) {
  started_ = Clock::now();
  process_ = process;
  stopped_.begin();
  enter(phase);
}

void PhaseClock::enter(const std::string& phase) {
  phase_ = phase;
  began_ = Clock::now();
  waited_ = seconds_without_processor(process_);
  deadline_ =
      std::min(after(began_, seconds(phase)), after(started_, limits_.configuration_seconds));
}

void PhaseClock::give_back_stopped() {
  const Clock::duration stopped = stopped_.take(process_);
  started_ += stopped;
  began_ += stopped;
  deadline_ += stopped;
}

bool PhaseClock::gets_more_time() {
  constexpr double kMost = 0.5;
  if (seconds_since(started_) >= limits_.configuration_seconds) return false;
  const double waited = seconds_without_processor(process_) - waited_;
  if (waited < kMost * seconds_since(began_)) return false;
  enter(std::string(phase_));
  return true;
}

}  // namespace tuner
