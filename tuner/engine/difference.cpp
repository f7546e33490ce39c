// Words for the first element that differs, and how many do.

#include "tuner/engine/difference.h"

#include <fmt/format.h>

#include <cmath>

namespace tuner {

std::string number_text(double value, int digits) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, digits);
}

std::string describe(const ArgumentPlan& argument, const Comparison& difference) {
  constexpr int kFew = 6;
  constexpr int kAll = 17;  // where a few digits would show the same number twice
  std::string value = number_text(difference.first_value, kFew);
  std::string expected = number_text(difference.first_expected, kFew);
  if (value == expected) {
    value = number_text(difference.first_value, kAll);
    expected = number_text(difference.first_expected, kAll);
  }
  return fmt::format("{}[{}] = {}, expected {} ({} of {} elements differ, max error {:g})",
                     argument.name, difference.first_mismatch, value, expected,
                     difference.mismatches, argument.elements, difference.max_abs_error);
}

}  // namespace tuner
