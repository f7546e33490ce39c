#pragma once
// Judges outputs that are not compared element by element: by a norm, in any order, relative to
// the largest value, with NaN equal to NaN.

#include "tuner/model/plan.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// `found` and `expected` are the contents of `output`.
Judgement judged_on_host(const CheckPlan& check, const ArgumentPlan& output,
                         const ProblemArray& found, const ProblemArray& expected);

}  // namespace tuner
