#pragma once
// Compiling every variant of a study for architectures that need not be here.

#include "tuner/app/options.h"
#include "tuner/model/study.h"

namespace tuner {

// `tuner check --compile`: compiles every variant (or a random --limit of them) for each
// architecture, without a device, and prints registers, shared memory, spills and occupancy as
// CSV. Returns an exit status: 0 when at least one variant compiled for every architecture.
int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options);

}  // namespace tuner
