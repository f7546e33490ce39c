#pragma once
// What device and compiler are to prepare for a size, before anything is measured.

#include <string>

#include "tuner/ports/evaluator.h"

namespace tuner {

// Plans what device and compiler are to prepare for a size: buffers, and the answers of the
// reference, whose source is `reference_text`. Throws InputError.
void plan_preparation(const std::string& reference_text, SizeTask& task);

}  // namespace tuner
