#pragma once
// What the host code launches besides a kernel's one launch, in so far as it is plain.

#include <functional>

#include "tuner/drafting/draft_context.h"

namespace tuner {

// The plan of another kernel of the source, drafted alone. Throws InputError where there is none.
using DraftOther = std::function<DraftPlan(const FoundKernel&)>;

// Kernels that are launched behind it in the same function on buffers that it has, and the rounds
// of a loop in which buffers change places. What is seen and not taken becomes a remark.
void draft_sequence(DraftContext& context, const DraftOther& draft_other);

}  // namespace tuner
