// Says whether a parameter's values have an order.

#include "tuner/space/parameter.h"

#include <algorithm>

namespace tuner {

bool Parameter::ordered() const {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](const Value& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
  });
}

}  // namespace tuner
