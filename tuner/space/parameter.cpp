// What a list of parameters tells: whether values have an order, and the names.

#include "tuner/space/parameter.h"

#include <algorithm>

namespace tuner {

bool Parameter::ordered() const {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](const Value& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
  });
}

std::vector<std::string> parameter_names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

}  // namespace tuner
