#pragma once
// The ranking of one device and problem size.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// Ratio to the baseline: how many times as good, for times how many times as fast. With its
// interval; `by_final`: measured side by side with it.
struct Speedup {
  double ratio = 1;
  double low = 1;
  double high = 1;
  bool by_final = false;
};

// The configuration that the user has now, among the results.
struct BaselineResult {
  Configuration configuration;
  std::optional<std::size_t> at{};  // place in RankedResults::trials; empty: it was not measured
  std::vector<Speedup> speedups{};  // of each ranked trial over it; empty where it is not ranked
};

// The worth of the proposals of one source outside of the search.
struct AdviceWorth {
  std::string by;
  std::size_t tried = 0;         // configurations of it that have a result
  std::optional<double> loss{};  // of its best by the search: 0.04 = 4 % from the best of all;
                                 // nothing: none is valid
  double after_s = 0;            // when that one's result was there, in seconds of its search
};

// The words of a study for how launches are timed.
inline std::string_view name_of(CacheState cache) {
  return cache == CacheState::kCold ? "cold" : cache == CacheState::kHot ? "hot" : "rotate";
}
inline std::string_view name_of(LaunchMode mode) {
  return mode == LaunchMode::kStream ? "stream" : "graph";
}
inline std::string_view name_of(TimedInputs inputs) {
  return inputs == TimedInputs::kSame ? "same" : "fresh";
}

// How launches were timed. Figures of different ways do not compare.
struct TimedHow {
  LaunchMode mode = LaunchMode::kStream;
  CacheState cache = CacheState::kCold;
  TimedInputs inputs = TimedInputs::kSame;
  friend bool operator==(const TimedHow&, const TimedHow&) = default;
};

// Ranked results of one device and problem size, best first; failures follow.
struct RankedResults {
  DeviceFacts device;
  ProblemSize size;
  std::vector<Trial> trials;
  std::size_t ranked = 0;  // trials[0..ranked) are valid and in order
  std::vector<bool> tied;  // of the ranked: not distinguishable from the best
  // Whether a ranked trial is on the Pareto front, where several objectives are weighed: none of
  // the others is as good in all of them and better in one. Empty otherwise.
  std::vector<bool> front;
  // Why wrong answers may be among these, such as "nothing verifies 'y'"; empty: all were verified;
  // nothing: not known.
  std::optional<std::string> unverified{};
  // Why a kernel that keeps its answers would not have been noticed; empty: it would, or not known.
  std::string same_inputs{};
  std::string form{};  // "launcher" or "command"; empty: a kernel, or not known
  std::string date;    // ISO 8601, of the newest trial
  std::string compiler;
  std::optional<BaselineResult> baseline{};  // where the study names one
  std::vector<AdviceWorth> advice{};         // of each source, in the order of their results
  std::optional<TimedHow> timed{};           // nothing: not known
  std::size_t outside = 0;                   // stored trials that are not here: Trial::outside
  // Doubts about the answers when they were compared, such as "zeros would pass for y".
  std::vector<std::string> warnings{};
};

}  // namespace tuner
