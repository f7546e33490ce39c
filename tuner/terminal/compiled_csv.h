#pragma once
// Compiled variants as CSV, for `tuner check --compile`.

#include <string>
#include <vector>

#include "tuner/run/compile_check.h"

namespace tuner {

std::string compiled_header(const std::vector<Parameter>& parameters);
std::string compiled_line(const std::string& arch, const CheckedVariant& one);

}  // namespace tuner
