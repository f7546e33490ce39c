#pragma once
// What only shows once the search space is built: nothing in it, or nothing that can be launched.

#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/space/search_space.h"

namespace tuner {

struct GeometryReport {
  // What no configuration gets right on this device: blocks over its limits, grids of zero, too
  // much dynamic shared memory. Empty when at least one can be launched.
  std::vector<Complaint> complaints{};
  // What some get wrong on any device: divisions by zero, grids and scratch of zero.
  std::vector<Complaint> warnings{};
};

// Looks at every configuration of a small space and at an even sample of a large one. Nothing for
// an empty space.
GeometryReport check_geometry(const Study& study, const SearchSpace& space, const ProblemSize& size,
                              const DeviceFacts& device);

// The same of compiler options that depend on a configuration or a size, and that no study may
// name.
GeometryReport check_options(const Study& study, const SearchSpace& space, const ProblemSize& size,
                             const DeviceFacts& device);

// Why the space has no configuration, at the constraint that leaves the fewest; empty when it has.
std::vector<Complaint> check_not_empty(const Study& study, const SearchSpace& space);

}  // namespace tuner
