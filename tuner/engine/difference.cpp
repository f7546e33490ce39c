// Words for the first element that differs, and how many do.

#include "tuner/engine/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tuner/engine/guarded_memory.h"

namespace tuner {

std::string number_text(double value, int digits) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, digits);
}

namespace {

constexpr int kFew = 6;
constexpr int kAll = 17;  // where a few digits would show the same number twice

// Integers in full: rounded to six digits two of them look alike.
std::string text_of(DataType type, double value, int digits) {
  const bool whole = !is_floating(type) && std::isfinite(value);
  return whole ? fmt::format("{:.0f}", value) : number_text(value, digits);
}

// What an output holds before a launch, where that is a number.
std::optional<double> poison_value(DataType type) {
  if (is_floating(type)) return std::nullopt;
  const unsigned char byte = poison_for(type);
  double value = 0;
  for (std::size_t i = 0; i < size_of(type); ++i) value = value * 256 + byte;
  const bool is_signed = type >= DataType::kInt8 && type <= DataType::kInt64;
  return is_signed ? value - std::ldexp(1.0, static_cast<int>(8 * size_of(type))) : value;
}

// An output that is added to, or not written: what it starts as shows.
std::string about_poison(const ArgumentPlan& argument, const Comparison& difference) {
  constexpr double kNear = 1e6;
  if (argument.role != Role::kOut) return "";
  const auto poison = poison_value(argument.type);
  if (!poison) {
    const bool unwritten =
        std::isnan(difference.first_value) && !std::isnan(difference.first_expected);
    return unwritten ? "; nan is what outputs start as: it was not written, or is one" : "";
  }
  if (difference.first_value == *poison) return "; it was never written";
  if (size_of(argument.type) < 4 || std::abs(difference.first_value - *poison) > kNear) return "";
  return "; an output starts as poison: a kernel that adds to it needs role: inout";
}

// A difference that a little more tolerance would let pass is worth a thought.
std::string about_tolerance(const ArgumentPlan& argument, const CheckPlan& check,
                            const Comparison& difference) {
  constexpr double kRounding = 1e-3;
  if (!is_floating(argument.type) || !std::isfinite(difference.max_abs_error)) return "";
  const double size = std::abs(difference.first_expected);
  if (!(difference.max_abs_error < kRounding * std::max(1.0, size))) return "";
  return fmt::format("; allowed {:.2g} (rtol {:g}, atol {:g}); atol: {:.1e} would pass: rounding?",
                     check.atol + check.rtol * size, check.rtol, check.atol,
                     1.05 * difference.max_abs_error);
}

// "y[5]", and "C[2][1]" where the study gives it two extents, the last of which runs fastest.
std::string element_text(const ArgumentPlan& argument, std::uint64_t index) {
  std::string text;
  for (std::size_t i = argument.extents.size(); i-- > 1;) {
    text.insert(0, fmt::format("[{}]", index % argument.extents[i]));
    index /= argument.extents[i];
  }
  return fmt::format("{}[{}]{}", argument.name, index, text);
}

}  // namespace

std::string describe(const ArgumentPlan& argument, const CheckPlan& check,
                     const Comparison& difference) {
  std::string value = text_of(argument.type, difference.first_value, kFew);
  std::string expected = text_of(argument.type, difference.first_expected, kFew);
  if (value == expected) {
    value = number_text(difference.first_value, kAll);
    expected = number_text(difference.first_expected, kAll);
  }
  return fmt::format("{} = {}, expected {} ({} of {} elements differ, max error {:g}{}{})",
                     element_text(argument, difference.first_mismatch), value, expected,
                     difference.mismatches, argument.elements, difference.max_abs_error,
                     about_tolerance(argument, check, difference),
                     about_poison(argument, difference));
}

}  // namespace tuner
