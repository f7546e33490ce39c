#pragma once
// Captured launches as inputs, answers and memory of what is measured.

#include <cstdint>
#include <string>

#include "tuner/base/expected.h"
#include "tuner/model/captured_launch.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"

namespace tuner {

// A captured launch as a size and a variant to be measured: memory where it was, with what the
// launch wrote as the right answer, to the bit; the parameters are bytes. `measure`: how.
struct CapturedPlans {
  SizePlan size;
  VariantPlan variant;
};
CapturedPlans plans_of(const CapturedLaunch& launch, const MeasureSpec& measure);

// The launch that was captured at a size; null: there is none.
const CapturedLaunch* captured_at(const Study& study, const ProblemSize& size);

// Returns the study with what it takes from the launch that was captured at this size: fills and
// answers are files, values are bytes. A study that takes nothing is as it was. The failure is a
// sentence.
Expected<Study, std::string> with_captured(const Study& study, const ProblemSize& size);

// Puts all memory of a launch where it was (`memory: captured`): the buffers of the study become
// parts of it, compared as the plan's checks say, and what the launch wrote besides them is
// compared bit by bit. `study` is with_captured()'s.
void place_memory(const Study& study, const CapturedLaunch& launch, SizePlan& plan);

}  // namespace tuner
