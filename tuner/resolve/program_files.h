#pragma once
// What a program is told of the files that hold the study's arguments.

#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/study.h"

namespace tuner {

// One option of the compile request for each argument: "argument=2:y.npy:float32:64x64:out", its
// position, file, type, shape and role (tuner/plugins/program).
Expected<std::vector<std::string>, std::string> program_files(const Study& study,
                                                              const Bindings& names);

}  // namespace tuner
