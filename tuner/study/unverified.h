#pragma once
// Names outputs that are not compared with a right answer: a ranking must say so.

#include <string>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

// Names of the outputs (role out) that the reference does not compute; where no output at all is
// verified, those that are read and written (inout) too. Beside a verified output an inout buffer
// may be working space, such as a counter.
std::vector<std::string> unverified_outputs(const Study& study);

// "nothing verifies 'y'", "no argument is an output"; empty where answers are verified.
std::string unverified_text(const Study& study);
// Why a kernel that keeps its answers from launch to launch would not be noticed; empty where the
// samples that make it win have inputs of their own.
std::string same_inputs_text(const Study& study);

}  // namespace tuner
