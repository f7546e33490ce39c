#pragma once
// Sets of inputs that answers are compared on: the same fills with other random numbers.

#include <cstdint>

#include "tuner/model/plan.h"

namespace tuner {

// How many there are: one where nothing is random or nothing is compared.
std::uint32_t input_sets(const SizePlan& plan);

// Changes the seeds of a plan that makes set `from` so that it makes set `to`.
void move_seeds(SizePlan& plan, std::uint32_t from, std::uint32_t to);

}  // namespace tuner
