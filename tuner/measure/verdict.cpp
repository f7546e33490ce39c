// Makes verdicts of what a device says.

#include "tuner/measure/verdict.h"

#include <utility>

namespace tuner {

Verdict verdict_of(TrialState state, std::string message) {
  Verdict verdict;
  verdict.state = state;
  verdict.message = std::move(message);
  if (state == TrialState::kCorrectness) verdict.evidence = Evidence::kNone;
  return verdict;
}

Verdict verdict_of(const DeviceFailure& failure) {
  Verdict verdict = verdict_of(TrialState::kRuntime, failure.message);
  switch (failure.error) {
    case DeviceError::kInvalid:
      verdict.state = TrialState::kLaunch;
      break;
    case DeviceError::kLaunch:
    case DeviceError::kUnsupported:
      verdict.state = TrialState::kLaunch;
      verdict.is_own = true;  // it was looked at before anything ran
      break;
    case DeviceError::kRuntime:
      verdict.context_dead = true;
      break;
    case DeviceError::kDeviceLost:
      verdict.context_dead = true;
      verdict.device_lost = true;
      break;
    case DeviceError::kOutOfMemory:
      verdict.retryable = true;  // another program may hold the memory, for now
      break;
    case DeviceError::kNone:
      break;
  }
  return verdict;
}

bool says_nothing(const DeviceFailure& failure) {
  return failure.error == DeviceError::kInvalid || failure.error == DeviceError::kOutOfMemory;
}

void take_over(Verdict& verdict, Trial& trial) {
  const Resources compiled = trial.resources;
  static_cast<Measured&>(trial) = std::move(static_cast<Measured&>(verdict));
  if (trial.resources.registers < 0) trial.resources = compiled;
  if (trial.resources.spill_bytes < 0) trial.resources.spill_bytes = compiled.spill_bytes;
}

bool may_be_of_others(const Verdict& verdict) {
  const bool failed = verdict.state == TrialState::kLaunch || verdict.state == TrialState::kRuntime;
  return failed && !verdict.is_own && !verdict.device_lost;
}

bool may_leave_traces(const Verdict& verdict) {
  return verdict.state != TrialState::kLaunch && verdict.state != TrialState::kConstraints;
}

}  // namespace tuner
