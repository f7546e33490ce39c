#pragma once
// Wrong answers that look right: what an output holds before a launch that must not be told from a
// timed one. A timed launch finds its own answer in place, so a kernel that skips work on that
// account is seen only when what is in place is no NaN, and wrong.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// One output of the reference, and a buffer of the same size to try things in.
struct Answer {
  BufferRange room{};
  BufferRange expected{};
  DataType type = DataType::kFloat32;
  std::uint64_t elements = 0;
};

// The largest magnitude in the answer; infinite when it holds an infinity.
DeviceResult<double> magnitude(DeviceMemory& memory, const Answer& answer);

// The decoy that is wrong, by these tolerances, in all or at least the most elements: numbers of
// the answer's size, for its buffer to be filled with. They say nothing of the answer else, and
// nobody knows `seed`.
DeviceResult<Fill> choose_decoy(DeviceMemory& memory, const Answer& answer, const CheckPlan& check,
                                std::uint64_t seed);

// Why wrong answers may pass for the right one, which the reference leaves in the argument `name`
// for some `values` (" for STEPS=4"), for people: it is the same everywhere; by the tolerances
// zeros pass, or one number everywhere, or right numbers at wrong places; or the absolute tolerance
// is large beside its numbers.
DeviceResult<std::vector<std::string>> doubts_about(DeviceMemory& memory, const Answer& answer,
                                                    const CheckPlan& check, const std::string& name,
                                                    const std::string& values);

}  // namespace tuner
