// Words for the first element that differs, and how many do; judgements by rules that no backend
// has.

#include "tuner/measure/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/measure/decoy.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/host_fills.h"
#include "tuner/measure/protection.h"

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

// Returns the number that outputs are poisoned with before a launch; nothing where that is NaN.
std::optional<double> poison_value(DataType type) {
  if (is_floating(type)) return std::nullopt;
  const unsigned char byte = poison_for(type);
  double value = 0;
  for (std::size_t i = 0; i < size_of(type); ++i) value = value * 256 + byte;
  return is_signed(type) ? value - std::ldexp(1.0, static_cast<int>(8 * size_of(type))) : value;
}

// Reports whether some, but not all, elements hold poison: if all do, the kernel may as well have
// added to them.
bool is_partly_unwritten(const ArgumentPlan& argument, const WrongAnswer& all) {
  return argument.role == Role::kOut && all.unwritten > 0 && all.unwritten < argument.elements;
}

bool starts_as_nan(const ArgumentPlan& argument, const Comparison& difference) {
  return argument.role == Role::kOut && !poison_value(argument.type) &&
         std::isnan(difference.first_value) && !std::isnan(difference.first_expected);
}

// An output that is added to, or not written: what it starts as shows.
std::string about_poison(const ArgumentPlan& argument, const Comparison& difference,
                         const WrongAnswer& all) {
  constexpr double kNear = 1e6;
  if (argument.role != Role::kOut) return "";
  if (is_partly_unwritten(argument, all)) {
    return fmt::format("; {} {} not written", count_text(all.unwritten, "element"),
                       all.unwritten == 1 ? "was" : "were");
  }
  const auto poison = poison_value(argument.type);
  if (!poison) {
    if (!starts_as_nan(argument, difference)) return "";
    return fmt::format("; nan is what outputs start as: {} not written, or {}",
                       all.nans == argument.elements ? "all were" : "it was",
                       all.nans == argument.elements ? "are nan" : "is one");
  }
  if (difference.first_value == *poison) return "; it was never written";
  if (size_of(argument.type) < 4 || std::abs(difference.first_value - *poison) > kNear) return "";
  return fmt::format("; an output starts as poison, {:.0f}", *poison);
}

// A difference that a little more tolerance would let pass is worth a thought.
std::string about_tolerance(const ArgumentPlan& argument, const CheckPlan& check,
                            const Comparison& difference, const WrongAnswer& all) {
  if (!is_floating(argument.type) || !std::isfinite(difference.max_abs_error)) return "";
  const double size = std::abs(difference.first_expected);
  const double largest = all.largest > 0 ? all.largest : std::max(1.0, size);
  const double rounding = facts_of(argument.type).as_float.rounding * largest;
  if (!(difference.max_abs_error < rounding)) return "";
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
                     const Comparison& difference, const WrongAnswer& all) {
  std::string value = text_of(argument.type, difference.first_value, kFew);
  std::string expected = text_of(argument.type, difference.first_expected, kFew);
  if (value == expected) {
    value = number_text(difference.first_value, kAll);
    expected = number_text(difference.first_expected, kAll);
  }
  const char* const places =
      all.other_order ? "; the same values in other places: is their order free?" : "";
  return fmt::format("{} = {}, expected {} ({} of {} elements differ, max error {:g}{}{}{})",
                     element_text(argument, difference.first_mismatch), value, expected,
                     difference.mismatches, argument.elements, difference.max_abs_error,
                     about_tolerance(argument, check, difference, all),
                     about_poison(argument, difference, all), places);
}

namespace {

std::uint64_t count_poison(std::span<const std::byte> bytes, DataType type) {
  const std::size_t width = size_of(type);
  const std::vector<std::byte> poison(width, static_cast<std::byte>(poison_for(type)));
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    count += std::memcmp(bytes.data() + at, poison.data(), width) == 0 ? 1 : 0;
  }
  return count;
}

// Computes a digest that is equal for arrays with the same elements in any order.
std::uint64_t without_order(std::span<const std::byte> bytes, std::size_t width) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::uint64_t element = 0;
    std::memcpy(&element, bytes.data() + at, width);
    sum += splitmix64(element);
  }
  return sum;
}

}  // namespace

DeviceResult<WrongAnswer> look_at(DeviceMemory& memory, const ArgumentPlan& argument,
                                  BufferRange expected, BufferRange found) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{32} << 20;
  WrongAnswer all;
  if (bytes_of(argument) <= kMostBytes) {
    std::vector<std::byte> ours(bytes_of(argument)), right(ours.size());
    TUNER_TRY(memory.download(found, ours));
    TUNER_TRY(memory.download(expected, right));
    const std::size_t width = size_of(argument.type);
    // One byte may be poison by chance.
    if (argument.role == Role::kOut && width > 1) {
      all.unwritten = count_poison(ours, argument.type);
    }
    all.other_order = without_order(ours, width) == without_order(right, width);
    wipe(right);
  }
  if (!is_floating(argument.type)) return all;
  const Answer answer{found, expected, argument.type, argument.elements};
  all.nans = TUNER_TRY(memory.compare(found, found, answer.type, answer.elements, 0, 0)).mismatches;
  all.largest = TUNER_TRY(magnitude(memory, answer));
  return all;
}

Evidence evidence_of(const ArgumentPlan& argument, const CheckPlan& check,
                     const Comparison& difference, const WrongAnswer& all) {
  if (all.other_order) return Evidence::kPlaces;
  if (is_partly_unwritten(argument, all)) return Evidence::kUnwritten;
  if (starts_as_nan(argument, difference)) return Evidence::kNan;
  if (!about_tolerance(argument, check, difference, all).empty()) return Evidence::kRounding;
  const bool is_all = difference.mismatches == argument.elements;
  return is_all ? Evidence::kEverywhere : Evidence::kNone;
}

namespace {

using Norm = CompareRule::Norm;
using Number = long double;  // holds every integer of 64 bits
using Numbers = std::vector<Number>;

// Decodes a floating-point number of a type that C++ does not have.
Number float_value(std::uint64_t bits, const FloatFacts& type) {
  const int mantissa = type.mantissa;
  const int last = (1 << type.exponent) - 1;
  const int exponent = static_cast<int>(bits >> mantissa) & last;
  const std::uint64_t one = std::uint64_t{1} << mantissa;
  const std::uint64_t fraction = bits & (one - 1);
  const Number sign = bits >> (type.exponent + mantissa) != 0 ? -1 : 1;
  if (exponent == last && (type.has_infinity || fraction == one - 1)) {
    const bool infinite = fraction == 0;
    return infinite ? sign * HUGE_VALL : std::numeric_limits<Number>::quiet_NaN();
  }
  const std::uint64_t whole = fraction + (exponent > 0 ? one : 0);
  return sign * std::ldexp(static_cast<Number>(whole), std::max(exponent, 1) - last / 2 - mantissa);
}

}  // namespace

long double number_at(std::span<const std::byte> bytes, DataType type, std::uint64_t i) {
  const std::size_t size = size_of(type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size, size);
  if (is_floating(type)) {
    if (size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (size == 8) return std::bit_cast<double>(bits);
    return float_value(bits, facts_of(type).as_float);
  }
  if (!is_signed(type)) return static_cast<Number>(bits);
  const std::size_t unused = 64 - 8 * size;
  return static_cast<Number>(static_cast<std::int64_t>(bits << unused) >> unused);
}

namespace {

std::string shown(Number value) { return number_text(static_cast<double>(value), 6); }

class HostJudge {
 public:
  HostJudge(const CheckPlan& check, const ArgumentPlan& output)
      : check_(check), output_(output), in_order_(!check.how.any_order) {}
  HostJudge(const HostJudge&) = delete;
  ~HostJudge() { wipe(std::as_writable_bytes(std::span(expected_))); }

  HostJudgement run(const ProblemArray& found, const ProblemArray& expected) {
    if (auto wrong = take(found, expected)) {
      return {{false, HUGE_VAL, *wrong}, is_unwritten_ ? Evidence::kUnwritten : Evidence::kNone};
    }
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
      const Number ours = number_at(found.data, found.type, i);
      const Number right = number_at(expected.data, expected.type, i);
      const bool nan = std::isnan(ours);
      const bool may_be = check_.how.equal_nan && (!in_order_ || std::isnan(right));
      is_unwritten_ = nan && is_poison(found, i);
      if (is_unwritten_) return place(i) + " was not written, or is NaN";
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

  HostJudgement by_element() const {
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
    if (wrong == 0) return {{true, error, {}}};
    return {
        {false, error,
         fmt::format("{} = {}, expected {} ({} of {} elements differ, max error {:g}, allowed "
                     "{:.3g}{})",
                     in_order_ ? place(first) : fmt::format("number {} in ascending order", first),
                     shown(found_[first]), shown(expected_[first]), wrong, expected_.size(), error,
                     static_cast<double>(allowed(expected_[first])),
                     check_.how.to_largest ? fmt::format(": rtol {:g} of the largest, {}",
                                                         check_.rtol, shown(largest))
                                           : std::string())},
        wrong == expected_.size() ? Evidence::kEverywhere : Evidence::kNone};
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

  HostJudgement by_norm() const {
    const Number error = norm_of(true);
    const Number size = norm_of(false);
    const Number allowed = check_.atol + check_.rtol * size;
    const auto measured = static_cast<double>(error);
    if (error <= allowed && std::isfinite(error)) return {{true, measured, {}}};
    return {
        {false, measured,
         fmt::format("the {} norm of the error is {:.4g}, allowed {:.4g} (rtol {:g} of the right "
                     "answer's {:.4g}, atol {:g})",
                     name_of(check_.how.norm), measured, static_cast<double>(allowed), check_.rtol,
                     static_cast<double>(size), check_.atol)}};
  }

  const CheckPlan& check_;
  const ArgumentPlan& output_;
  bool in_order_;
  bool is_unwritten_ = false;
  Numbers found_;
  Numbers expected_;
};

}  // namespace

HostJudgement judged_on_host(const CheckPlan& check, const ArgumentPlan& output,
                             const ProblemArray& found, const ProblemArray& expected) {
  return HostJudge(check, output).run(found, expected);
}

}  // namespace tuner
