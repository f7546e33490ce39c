#pragma once
// What a recording holds as trials, as if this program had made them.

#include <vector>

#include "tuner/exchange/recording.h"

namespace tuner {

// One trial for each entry, in their order. What the file calls the time is the median, be it a
// mean or not; another objective is a metric. Trials are not scored by a study.
std::vector<Trial> trials_of(const Recording& recording);

// The same for a space of these parameters, in their order: values are matched by text where the
// recording has texts; a parameter with a single value may be missing on either side. Throws
// InputError when another one cannot be matched.
std::vector<Trial> trials_of(const Recording& recording, const std::vector<Parameter>& parameters);

}  // namespace tuner
