#pragma once
// Whether one variant is slower than another by more than is allowed: pairs are measured until
// their interval decides.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "tuner/model/statistics.h"

namespace tuner {

enum class GateVerdict { kPassed, kSlower, kUndecided };
std::string_view name_of(GateVerdict verdict);  // "passed", ...

struct GateRule {
  double allow = 0.01;  // 0.01: head may take 1 % longer
  double seconds = 60;  // for one size
  // Of the interval. Each look at it may be wrong by chance, and there are some ten of them.
  double confidence = 0.999;
};

struct GateState {
  GateVerdict verdict = GateVerdict::kUndecided;
  Ratio ratio;  // head over base
  std::size_t pairs = 0;
  double base_ms = 0;  // medians
  double head_ms = 0;
};

// Measures base and head in so many rounds more: samples[0] of base, samples[1] of head. Fewer than
// two lists, or empty ones: it cannot go on.
using MeasurePairs =
    std::function<std::vector<std::vector<double>>(int rounds, std::uint64_t seed, double seconds)>;

// Doubles the pairs until the interval of their ratio lies on one side of what is allowed, or the
// time is up. `now`: seconds since it began.
GateState decide(const GateRule& rule, const MeasurePairs& measure,
                 const std::function<double()>& now);

}  // namespace tuner
