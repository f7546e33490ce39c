#pragma once
// Two sides of a change, measured in turns on one device at each size of a study.

#include <array>
#include <functional>
#include <string>

#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/run/bench.h"
#include "tuner/run/settings.h"
#include "tuner/search/gate.h"

namespace tuner {

struct GateSide {
  std::string name;  // as the user wrote it
  Study study;       // with its own source; else like the other's
  // What it runs at a size. Throws InputError.
  std::function<Configuration(const ProblemSize&, const DeviceFacts&)> configuration;
};

struct GateOutcome {
  DeviceFacts device;
  ProblemSize size;
  std::array<Configuration, 2> configurations;  // of base and head
  std::array<Trial, 2> trials;                  // what failed says why
  GateState state;
  bool is_one_program = false;  // there is nothing to measure
  double seconds = 0;
};

// Of each size, until it is interrupted. Throws as tune() does. `settings` are those of the device,
// `sides` base and head.
void run_gate(const DeviceSettings& settings, const std::array<GateSide, 2>& sides,
              const GateRule& rule, const Caller& caller,
              const std::function<void(const GateOutcome&)>& tell);

}  // namespace tuner
