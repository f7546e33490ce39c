#pragma once
// Parameters, configurations, and the numbers of configurations.

#include <algorithm>
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
  bool ordered() const {
    return !values.empty() && std::ranges::all_of(values, [](const Value& value) {
      return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
    });
  }
};

inline std::vector<std::string> parameter_names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

// One value for each parameter, in the order of the parameters.
using Configuration = std::vector<Value>;

// The number of a valid configuration in its space. Spaces beyond 2^64 are real; beyond 2^128 they
// can be counted, not indexed.
__extension__ typedef unsigned __int128 ConfigIndex;

}  // namespace tuner
