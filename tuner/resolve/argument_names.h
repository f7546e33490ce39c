#pragma once
// Arguments in messages: backends know them by their number only.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Whether a launch failed because the kernel takes other arguments.
bool is_about_arguments(const DeviceFailure& failure);

// "argument 2 has 8 bytes" as "argument 'n' has 8 bytes", and their names behind a message about
// how many there are. `names`: those that the launch was given, in order.
DeviceFailure with_names(DeviceFailure failure, const std::vector<std::string>& names);

// "x float32[1000], n int32" of these arguments of the plan.
std::string given_text(const SizePlan& plan, const std::vector<std::uint32_t>& arguments);

}  // namespace tuner
