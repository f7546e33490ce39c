#pragma once
// What a fill says with names, for one problem size.

#include <optional>
#include <string>

#include "tuner/expression/value.h"
#include "tuner/model/plan.h"

namespace tuner {

// Evaluates the rule of a plan's fill, as far as it can be before the elements are made. Says
// what is wrong, or nothing.
std::optional<std::string> plan_fill(const Bindings& names, FillSpec& fill);

}  // namespace tuner
