#pragma once
// Says in words how a buffer differs from what is expected of it.

#include <string>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// A NaN is printed without its sign, which means nothing.
std::string number_text(double value, int digits);
// Where it helps, also what would have been allowed, and what the numbers look like.
std::string describe(const ArgumentPlan& argument, const CheckPlan& check,
                     const Comparison& difference);

}  // namespace tuner
