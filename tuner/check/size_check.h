#pragma once
// Evaluates a study's expressions at one problem size, before any device is known.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/study.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

// Shapes and the reference's geometry must be positive whole numbers, tolerances must not be
// negative, scalars must fit their type, files must be large enough. Expressions that need more
// than the problem size are left to later.
std::vector<Complaint> check_size(const Study& study, const ProblemSize& size,
                                  DataFiles data = DataFiles::kNeeded);

// "M=1024,N=1024" from the command line: every dimension of the study once, in any order. Throws
// InputError, also for what check_size says.
ProblemSize parse_size_option(const std::string& text, const Study& study,
                              DataFiles data = DataFiles::kNeeded);

}  // namespace tuner
