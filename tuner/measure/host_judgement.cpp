// Compares two arrays of numbers by the rules of a study.

#include "tuner/measure/host_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/difference.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/masking.h"

namespace tuner {
namespace {

using Norm = CompareRule::Norm;
using Number = long double;  // holds every integer of 64 bits
using Numbers = std::vector<Number>;

template <typename T>
T bits_at(const std::vector<std::byte>& data, std::uint64_t index) {
  T value{};
  std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
  return value;
}

Number half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

Number bfloat_value(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return static_cast<Number>(value);
}

// With four exponent bits all but the last pattern are numbers; with five the last exponent has
// none.
Number fp8_value(std::uint8_t bits, int mantissa, int bias) {
  const int exponent = (bits & 0x7F) >> mantissa;
  const int fraction = bits & ((1 << mantissa) - 1);
  const Number sign = (bits & 0x80) != 0 ? -1 : 1;
  if ((bits & 0x7F) == 0x7F || (mantissa == 2 && exponent == 31 && fraction != 0)) {
    return std::numeric_limits<Number>::quiet_NaN();
  }
  if (mantissa == 2 && exponent == 31) return sign * std::numeric_limits<Number>::infinity();
  const int whole = fraction + (exponent > 0 ? 1 << mantissa : 0);
  return sign * std::ldexp(static_cast<Number>(whole), std::max(exponent, 1) - bias - mantissa);
}

Number number_at(const ProblemArray& array, std::uint64_t i) {
  switch (array.type) {
    case DataType::kFloat32:
      return static_cast<Number>(bits_at<float>(array.data, i));
    case DataType::kFloat64:
      return bits_at<double>(array.data, i);
    case DataType::kFloat16:
      return half_value(bits_at<std::uint16_t>(array.data, i));
    case DataType::kBFloat16:
      return bfloat_value(bits_at<std::uint16_t>(array.data, i));
    case DataType::kFloat8E4M3:
      return fp8_value(bits_at<std::uint8_t>(array.data, i), 3, 7);
    case DataType::kFloat8E5M2:
      return fp8_value(bits_at<std::uint8_t>(array.data, i), 2, 15);
    case DataType::kInt8:
      return bits_at<std::int8_t>(array.data, i);
    case DataType::kInt16:
      return bits_at<std::int16_t>(array.data, i);
    case DataType::kInt32:
      return bits_at<std::int32_t>(array.data, i);
    case DataType::kInt64:
      return static_cast<Number>(bits_at<std::int64_t>(array.data, i));
    case DataType::kUInt8:
      return bits_at<std::uint8_t>(array.data, i);
    case DataType::kUInt16:
      return bits_at<std::uint16_t>(array.data, i);
    case DataType::kUInt32:
      return bits_at<std::uint32_t>(array.data, i);
    case DataType::kUInt64:
      return static_cast<Number>(bits_at<std::uint64_t>(array.data, i));
  }
  return 0;
}

std::string shown(Number value) { return number_text(static_cast<double>(value), 6); }

class HostJudge {
 public:
  HostJudge(const CheckPlan& check, const ArgumentPlan& output)
      : check_(check), output_(output), in_order_(!check.how.any_order) {}
  HostJudge(const HostJudge&) = delete;
  ~HostJudge() { wipe(std::as_writable_bytes(std::span(expected_))); }

  Judgement run(const ProblemArray& found, const ProblemArray& expected) {
    if (auto wrong = take(found, expected)) return {false, HUGE_VAL, *wrong};
    if (!in_order_) {
      std::ranges::sort(found_);
      std::ranges::sort(expected_);
    }
    return check_.how.norm == Norm::kNone ? by_element() : by_norm();
  }

 private:
  // The numbers without NaN. What is NaN has to be NaN in both: at its place, or as often.
  std::optional<std::string> take(const ProblemArray& found, const ProblemArray& expected) {
    std::uint64_t surplus = 0;  // of NaN, where there is no order
    std::uint64_t missing = 0;
    const std::uint64_t count =
        std::min(found.data.size(), expected.data.size()) / size_of(output_.type);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Number ours = number_at(found, i);
      const Number right = number_at(expected, i);
      const bool nan = std::isnan(ours);
      const bool may_be = check_.how.equal_nan && (!in_order_ || std::isnan(right));
      if (nan && is_poison(found, i)) return place(i) + " was not written, or is NaN";
      if (nan && !may_be) return fmt::format("{} = nan, expected {}", place(i), shown(right));
      if (std::isnan(right) && in_order_ && !nan) {
        return fmt::format("{} = {}, expected nan", place(i), shown(ours));
      }
      surplus += nan ? 1 : 0;
      missing += std::isnan(right) ? 1 : 0;
      if (!nan) found_.push_back(ours);
      if (!std::isnan(right)) expected_.push_back(right);
    }
    if (surplus == missing) return std::nullopt;
    return fmt::format("{} elements are nan, expected {}", surplus, missing);
  }

  // All bits as outputs start: NaN that nobody computed.
  bool is_poison(const ProblemArray& array, std::uint64_t i) const {
    const std::size_t width = size_of(output_.type);
    const auto begin = array.data.begin() + static_cast<std::ptrdiff_t>(i * width);
    return output_.role == Role::kOut &&
           std::all_of(begin, begin + static_cast<std::ptrdiff_t>(width), [&](std::byte one) {
             return one == static_cast<std::byte>(poison_for(output_.type));
           });
  }

  std::string place(std::uint64_t i) const { return fmt::format("element {}", i); }

  static Number distance(Number a, Number b) { return a == b ? 0 : std::fabs(a - b); }

  Judgement by_element() const {
    Number largest = 0;
    for (const Number one : expected_) {
      if (std::isfinite(one)) largest = std::max(largest, std::fabs(one));
    }
    std::uint64_t wrong = 0;
    std::size_t first = 0;
    Number worst = 0;
    const auto allowed = [&](Number right) {
      const Number scale = check_.how.to_largest ? largest : std::fabs(right);
      return check_.atol + check_.rtol * (std::isfinite(scale) ? scale : 0);
    };
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const Number off = distance(found_[i], expected_[i]);
      worst = std::max(worst, off);
      if (off <= allowed(expected_[i])) continue;
      if (wrong++ == 0) first = i;
    }
    const auto error = static_cast<double>(worst);
    if (wrong == 0) return {true, error, {}};
    return {
        false, error,
        fmt::format("{} = {}, expected {} ({} of {} elements differ, max error {:g}, allowed "
                    "{:.3g}{})",
                    in_order_ ? place(first) : fmt::format("number {} in ascending order", first),
                    shown(found_[first]), shown(expected_[first]), wrong, expected_.size(), error,
                    static_cast<double>(allowed(expected_[first])),
                    check_.how.to_largest
                        ? fmt::format(": rtol {:g} of the largest, {}", check_.rtol, shown(largest))
                        : std::string())};
  }

  // Without what is infinite in both. With one that is infinite in one only it is infinite.
  Number norm_of(bool of_error) const {
    Number sum = 0;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      if (!of_error && !std::isfinite(expected_[i])) continue;
      const Number one = of_error ? distance(found_[i], expected_[i]) : std::fabs(expected_[i]);
      if (check_.how.norm == Norm::kMax) {
        sum = std::max(sum, one);
      } else {
        sum += check_.how.norm == Norm::kL2 ? one * one : one;
      }
    }
    return check_.how.norm == Norm::kL2 ? std::sqrt(sum) : sum;
  }

  Judgement by_norm() const {
    const Number error = norm_of(true);
    const Number size = norm_of(false);
    const Number allowed = check_.atol + check_.rtol * size;
    const auto measured = static_cast<double>(error);
    if (error <= allowed && std::isfinite(error)) return {true, measured, {}};
    return {false, measured,
            fmt::format(
                "the {} norm of the error is {:.4g}, allowed {:.4g} (rtol {:g} of the right "
                "answer's {:.4g}, atol {:g})",
                kNormNames.at(static_cast<std::size_t>(check_.how.norm)), measured,
                static_cast<double>(allowed), check_.rtol, static_cast<double>(size), check_.atol)};
  }

  const CheckPlan& check_;
  const ArgumentPlan& output_;
  bool in_order_;
  Numbers found_;
  Numbers expected_;
};

}  // namespace

Judgement judged_on_host(const CheckPlan& check, const ArgumentPlan& output,
                         const ProblemArray& found, const ProblemArray& expected) {
  return HostJudge(check, output).run(found, expected);
}

}  // namespace tuner
