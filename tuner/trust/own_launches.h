#pragma once
// How far launches of a program's own kernel are from what it wrote in the program: a kernel that
// adds floats by atomics, in whatever order its threads come, writes other ones each time. A study
// that is nearer to the captured answer than that would find the kernel itself wrong.

#include <functional>
#include <string>
#include <vector>

#include "tuner/bench/devices.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/resolve/captured_plans.h"

namespace tuner {

// One output of floats that differs.
struct OwnDistance {
  std::string output;
  double largest = 0;     // difference over all launches and elements
  bool has_room = false;  // so many times as far would be right in the study
};

struct OwnLaunches {
  std::vector<OwnDistance> outputs;  // none: all floats are equal
  std::string elsewhere;  // what else differs from what the study asks, in words; empty: nothing
};

// Evaluates a captured launch; throws FatalError where that cannot be.
using EvaluatePlans = std::function<Verdict(CapturedPlans)>;

// Launches the captured kernel at least ten times from the captured memory, each time compared with
// what the launch wrote in its program: to the bit, and then, where that differs, output by output
// of the study: whether the tolerance that the study gives an output allows `times_farther` as
// much. Throws FatalError where it fails, and where the launch wrote nothing.
OwnLaunches compare_own_launches(const Study& study, const CapturedSize& one, double times_farther,
                                 const EvaluatePlans& evaluate);

// Does the same on a run worker. Throws UnavailableError where there is no such device, and
// InterruptedError.
OwnLaunches compare_own_launches(const Study& study, const CapturedSize& one, double times_farther,
                                 unsigned device, double timeout, const Caller& caller);

}  // namespace tuner
