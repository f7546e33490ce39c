#pragma once
// Checks that need the built search space: it is not empty, and something in it can be launched.

#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/space/search_space.h"

namespace tuner {

struct GeometryReport {
  // Mistakes of every configuration on this device: blocks over its limits, grids of zero, too much
  // dynamic shared memory. Empty when at least one can be launched.
  std::vector<Complaint> complaints{};
  // Mistakes of some configurations on any device: divisions by zero, grids and scratch of zero.
  std::vector<Complaint> warnings{};
};

// Checks the launch of every configuration of a small space, or of an even sample of a large one.
// Reports nothing for an empty space.
GeometryReport check_geometry(const Study& study, const SearchSpace& space, const ProblemSize& size,
                              const DeviceFacts& device);

// Checks the same configurations for compiler options that no study may name, if options depend on
// a configuration or a size.
GeometryReport check_options(const Study& study, const SearchSpace& space, const ProblemSize& size,
                             const DeviceFacts& device);

// Why the space has no configuration, at the constraint that leaves the fewest; empty when it has.
std::vector<Complaint> check_not_empty(const Study& study, const SearchSpace& space);

}  // namespace tuner
