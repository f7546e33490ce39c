#pragma once
// Which problem size the results of a recording are filed under.

#include <functional>
#include <string>

#include "tuner/exchange/recording.h"
#include "tuner/model/study.h"

namespace tuner {

// The size that the user names ("M=1024,N=1024"; empty: none), else the one of the study's that the
// recording's own agrees with, else, where the recording has none, the study's only one. Extents
// without names are compared with the dimensions that the grid's axes depend on. `tell` hears which
// dimensions the recording does not speak of. Throws InputError where they contradict each other,
// and where the user would have to say what cannot be known.
ProblemSize size_of(const Recording& recording, const std::string& named, const Study* study,
                    const std::function<void(const std::string&)>& tell);

}  // namespace tuner
