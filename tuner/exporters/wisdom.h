#pragma once
// Wisdom files of Kernel Launcher.

#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

// A wisdom file of Kernel Launcher (version 1.0): a line of JSON that names the kernel ("key") and
// the parameters, then one line for the best configuration of each device and problem size, times
// in milliseconds. Kernel Launcher looks for it as <key>.wisdom; characters of the key other than
// letters, digits and "_-." are "_" there. Throws InputError for more than three dimensions, which
// the format does not have, and when nothing is valid.
std::string export_wisdom(const Study& study, const std::vector<RankedResults>& results);

}  // namespace tuner
