// Words for the first element that differs, and how many do.

#include "tuner/measure/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/base/try.h"
#include "tuner/measure/decoy.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/masking.h"

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

constexpr std::string_view kNanStart = "nan is what outputs start as";
constexpr std::string_view kOtherPlaces = "the same values in other places";
constexpr std::string_view kWouldPass = "would pass: rounding?";

// An output that is added to, or not written: what it starts as shows.
std::string about_poison(const ArgumentPlan& argument, const Comparison& difference,
                         const WrongAnswer& all) {
  constexpr double kNear = 1e6;
  if (argument.role != Role::kOut) return "";
  const auto poison = poison_value(argument.type);
  if (!poison) {
    const bool unwritten =
        std::isnan(difference.first_value) && !std::isnan(difference.first_expected);
    if (!unwritten) return "";
    return fmt::format("; {}: it was not written, or is one{}", kNanStart,
                       all.nans == argument.elements
                           ? "; all are: a kernel that adds to it needs role: inout"
                           : "");
  }
  if (difference.first_value == *poison) return "; it was never written";
  if (size_of(argument.type) < 4 || std::abs(difference.first_value - *poison) > kNear) return "";
  return "; an output starts as poison: a kernel that adds to it needs role: inout";
}

// What rounding may come to, as a share of the largest value: some units in the last place of
// narrow types, much of a long sum's of wide ones.
double rounding_of(DataType type) {
  if (type == DataType::kBFloat16) return 0x1p-6;
  if (type == DataType::kFloat8E4M3) return 0x1p-2;
  if (type == DataType::kFloat8E5M2) return 0x1p-1;
  return type == DataType::kFloat16 ? 0x1p-8 : 1e-3;
}

// A difference that a little more tolerance would let pass is worth a thought.
std::string about_tolerance(const ArgumentPlan& argument, const CheckPlan& check,
                            const Comparison& difference, const WrongAnswer& all) {
  if (!is_floating(argument.type) || !std::isfinite(difference.max_abs_error)) return "";
  const double size = std::abs(difference.first_expected);
  const double largest = all.largest > 0 ? all.largest : std::max(1.0, size);
  if (!(difference.max_abs_error < rounding_of(argument.type) * largest)) return "";
  return fmt::format("; allowed {:.2g} (rtol {:g}, atol {:g}); atol: {:.1e} {}",
                     check.atol + check.rtol * size, check.rtol, check.atol,
                     1.05 * difference.max_abs_error, kWouldPass);
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
  const std::string places =
      all.other_order ? fmt::format("; {}: is their order free?", kOtherPlaces) : "";
  return fmt::format("{} = {}, expected {} ({} of {} elements differ, max error {:g}{}{}{})",
                     element_text(argument, difference.first_mismatch), value, expected,
                     difference.mismatches, argument.elements, difference.max_abs_error,
                     about_tolerance(argument, check, difference, all),
                     about_poison(argument, difference, all), places);
}

namespace {

// The same for arrays that hold the same elements, in whatever order.
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
    all.other_order = without_order(ours, width) == without_order(right, width);
    wipe(right);
  }
  if (!is_floating(argument.type)) return all;
  const Answer answer{found, expected, argument.type, argument.elements};
  all.nans = TUNER_TRY(memory.compare(found, found, answer.type, answer.elements, 0, 0)).mismatches;
  all.largest = TUNER_TRY(magnitude(memory, answer));
  return all;
}

Evidence evidence_in(std::string_view message) {
  const auto says = [&](std::string_view words) { return message.find(words) != message.npos; };
  if (says(kOtherPlaces)) return Evidence::kPlaces;
  if (message.starts_with(kRightInSome) || message.starts_with(kRightInOneOrder)) {
    return Evidence::kNowAndThen;
  }
  if (says(kNanStart)) return Evidence::kNan;
  if (says(kWouldPass)) return Evidence::kRounding;
  const std::size_t end = message.find(" elements differ");
  const std::size_t open = message.rfind('(', end);
  if (end == message.npos || open == message.npos) return Evidence::kNone;
  const std::string_view counts = message.substr(open + 1, end - open - 1);  // "9 of 9"
  const std::size_t of = counts.find(" of ");
  const bool all = of != counts.npos && counts.substr(0, of) == counts.substr(of + 4);
  return all ? Evidence::kEverywhere : Evidence::kNone;
}

}  // namespace tuner
