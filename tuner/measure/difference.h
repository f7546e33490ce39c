#pragma once
// Says in words how a buffer differs from what is expected of it, and judges outputs on the host.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// What was found out of a wrong answer as a whole.
struct WrongAnswer {
  double largest = 0;           // magnitude of what is expected; 0 = not known
  std::uint64_t nans = 0;       // elements that are NaN
  bool other_order = false;     // the same values as expected, in other places
  std::uint64_t unwritten = 0;  // elements that hold, bit by bit, what outputs start as
};

// Takes the room of the wrong answer, `found`, for it.
DeviceResult<WrongAnswer> look_at(DeviceMemory& memory, const ArgumentPlan& argument,
                                  BufferRange expected, BufferRange found);

// What a message says of a wrong answer.
enum class Evidence {
  kNone,
  kNan,         // NaN, which outputs start as
  kUnwritten,   // some elements were not written
  kPlaces,      // the right values in other places
  kRounding,    // little is wrong, compared with the largest value
  kNowAndThen,  // right in other launches, or in another order of threads
  kEverywhere,  // all elements are wrong
};
// Of the message of a trial that is `correctness`: of describe(), or of a launch after the first.
Evidence evidence_in(std::string_view message);
// How messages of wrong answers begin that other launches have not given.
inline constexpr std::string_view kRightInSome = "right in some launches, wrong in another";
inline constexpr std::string_view kRightInOneOrder =
    "right in the usual order of threads, wrong in another";

// An element of an array; every integer of 64 bits is exact.
long double number_at(std::span<const std::byte> bytes, DataType type, std::uint64_t i);

// A NaN is printed without its sign, which means nothing.
std::string number_text(double value, int digits);
// Where it helps, also what would have been allowed, and what the numbers look like.
std::string describe(const ArgumentPlan& argument, const CheckPlan& check,
                     const Comparison& difference, const WrongAnswer& all = {});

// `found` and `expected` are the contents of `output`.
Judgement judged_on_host(const CheckPlan& check, const ArgumentPlan& output,
                         const ProblemArray& found, const ProblemArray& expected);

}  // namespace tuner
