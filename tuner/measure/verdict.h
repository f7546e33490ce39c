#pragma once
// How a configuration ended, as a verdict on it.

#include <string>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

Verdict verdict_of(TrialState state, std::string message);

// Makes the verdict on the configuration that was running when the device failed.
Verdict verdict_of(const DeviceFailure& failure);

// Whether it says nothing of a variant: a reference without an answer, or no memory for one.
bool says_nothing(const DeviceFailure& failure);

// Copies a verdict into the trial. Resources that the device did not report stay as the compiler
// reported them.
void take_over(Verdict& verdict, Trial& trial);

// Whether a failure may be the doing of what ran in the same worker before, and may have left it
// unfit: out of files or memory, with an error that is told late, with other limits. A hang is not
// among them, since trying it again costs its whole deadline, nor is a wrong answer, which
// measure/watches looks into.
bool may_be_of_others(const Verdict& verdict);

// Whether a variant may have run, and so have left something behind: not if it was refused. One
// that failed for lack of memory may have failed in a later launch.
bool may_leave_traces(const Verdict& verdict);

}  // namespace tuner
