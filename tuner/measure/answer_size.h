#pragma once
// How large the numbers of a right answer are: what tolerances are measured by.

#include <cstdint>

#include "tuner/model/data_type.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Looks at finite numbers, at a sample where there are many; all 0 where there are none.
struct AnswerSize {
  double rms = 0;     // root of the mean square
  double usual = 0;   // median magnitude of those that are not 0
  double mean = 0;    // with signs
  double middle = 0;  // half way between the least and the largest
};

// Computes the size of an array in a buffer's contents, and wipes the copies it made for that.
DeviceResult<AnswerSize> size_of_answer(DeviceMemory& memory, BufferRange contents, DataType type,
                                        std::uint64_t elements);

// The smallest number of a type that is not 0: results cannot be nearer to one another.
double smallest_step(DataType type);

}  // namespace tuner
