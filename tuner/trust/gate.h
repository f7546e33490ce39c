#pragma once
// Two sides of a change, measured in turns on one device at each size of a study, until it is known
// whether one is slower by more than is allowed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/bench/bench.h"
#include "tuner/bench/settings.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/statistics.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// Each is worse than the one before. Failed: head has no right answer, and base has.
enum class GateVerdict { kPassed, kUndecided, kSlower, kFailed };
std::string_view name_of(GateVerdict verdict);  // "passed", ...

struct GateRule {
  double allow = 0.01;  // 0.01: head may take 1 % longer
  double seconds = 60;  // for one size
  // Confidence of the interval. Each look at it may be wrong by chance, and there are some ten of
  // them.
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

struct GateSide {
  std::string name;  // as the user wrote it
  Study study;       // with its own source; else like the other's
  // Returns the configuration to run at a size. Throws InputError.
  std::function<Configuration(const ProblemSize&, const DeviceFacts&)> configuration;
};

struct GateOutcome {
  DeviceFacts device;
  ProblemSize size;
  std::array<Configuration, 2> configurations;  // of base and head
  std::array<Trial, 2> trials;                  // a failed one has the reason
  GateState state;
  bool is_one_program = false;  // there is nothing to measure
  double seconds = 0;
};

// Compares base and head (`sides`) at each size, until it is interrupted; `tell` receives the
// outcomes. Throws as tune() does. The device is opened for the base, whose study the settings
// have.
void run_gate(const Settings& settings, const std::array<GateSide, 2>& sides, const GateRule& rule,
              const Caller& caller, const std::function<void(const GateOutcome&)>& tell);

}  // namespace tuner
