#pragma once
// One size of a study, ready to be measured.

#include <string>

#include "tuner/ports/evaluator.h"

namespace tuner {

// Makes the task with which device and compiler prepare for the size: buffers, and the answers of
// the reference, whose source is `reference_text`. Study and space outlive it. Throws InputError.
SizeTask planned_task(const Study& study, const SearchSpace& space, const ProblemSize& size,
                      const DeviceFacts& facts, const std::string& reference_text);

}  // namespace tuner
