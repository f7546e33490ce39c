#pragma once
// Parameters and configurations.

#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/expression/value.h"

namespace tuner {

// A knob: its name and the values it may take, in the order of the study file.
struct Parameter {
  std::string name;
  std::vector<Value> values;
  Position where;

  // Whether "adjacent value" means something: true for numbers, false for text and booleans.
  bool ordered() const;
};

std::vector<std::string> parameter_names(const std::vector<Parameter>& parameters);

// One value for each parameter, in the order of the parameters.
using Configuration = std::vector<Value>;

}  // namespace tuner
