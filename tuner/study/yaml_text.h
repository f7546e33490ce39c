#pragma once
// Values of a study as they stand in YAML.

#include <array>
#include <string>
#include <vector>

#include "tuner/base/quoted.h"
#include "tuner/model/study.h"

namespace tuner {

std::string value_text(const Value& value);
std::string list_of(const std::vector<Value>& values);
std::string list_of(const std::vector<Expression>& expressions);
// The axes up to the last that is given.
std::string axes(const std::array<Expression, 3>& extents);
std::string names_text(const std::vector<std::string>& names);

}  // namespace tuner
