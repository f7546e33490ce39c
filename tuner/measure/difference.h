#pragma once
// Says in words how a buffer differs from what is expected of it, and judges outputs on the host.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// Facts about a wrong answer as a whole.
struct WrongAnswer {
  double largest = 0;           // magnitude of what is expected; 0 = not known
  std::uint64_t nans = 0;       // elements that are NaN
  bool other_order = false;     // the same values as expected, in other places
  std::uint64_t unwritten = 0;  // elements that hold, bit by bit, what outputs start as
};

// Takes the room of the wrong answer, `found`, for it.
DeviceResult<WrongAnswer> look_at(DeviceMemory& memory, const ArgumentPlan& argument,
                                  BufferRange expected, BufferRange found);

// The pattern of such a wrong answer.
Evidence evidence_of(const ArgumentPlan& argument, const CheckPlan& check,
                     const Comparison& difference, const WrongAnswer& all);

// An element of an array; every integer of 64 bits is exact.
long double number_at(std::span<const std::byte> bytes, DataType type, std::uint64_t i);

// A NaN is printed without its sign, which means nothing.
std::string number_text(double value, int digits);
// Describes a wrong output; where it helps, also what would have been allowed, and what the numbers
// look like.
std::string describe(const ArgumentPlan& argument, const CheckPlan& check,
                     const Comparison& difference, const WrongAnswer& all = {});

struct HostJudgement : Judgement {
  Evidence evidence = Evidence::kNone;
};

// `found` and `expected` are the contents of `output`.
HostJudgement judged_on_host(const CheckPlan& check, const ArgumentPlan& output,
                             const ProblemArray& found, const ProblemArray& expected);

}  // namespace tuner
