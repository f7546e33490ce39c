#pragma once
// The resource that keeps a kernel from being faster, judged by hardware counters.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/trial.h"

namespace tuner {

// The counters that answer it; chips of compute capability 8.0 to 12.0 have them all.
const std::vector<std::string>& bound_counters();

struct BoundBy {
  std::string_view by;  // memory, cache, tensor cores, arithmetic, issue, latency
  std::string text;     // "bound by memory: DRAM 91 % of its peak, L2 cache 40 %, issue slots 12 %"
};
// Finds what bounds a kernel; nothing: these counters were not read.
std::optional<BoundBy> bound_of(const Metrics& counters);

}  // namespace tuner
