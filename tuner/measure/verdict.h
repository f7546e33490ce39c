#pragma once
// How a configuration ended, as a verdict on it.

#include <string>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

Verdict verdict_of(TrialState state, std::string message);

// What a failure of the device means for the configuration that was running.
Verdict verdict_of(const DeviceFailure& failure);

// Whether it says nothing of a variant: a reference without an answer, or no memory for one.
bool says_nothing(const DeviceFailure& failure);

// What a verdict says becomes the trial's. Resources that the device did not tell stay as the
// compiler told them.
void take_over(Verdict& verdict, Trial& trial);

}  // namespace tuner
