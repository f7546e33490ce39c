#pragma once
// One configuration of a study, compiled, verified and timed. Nothing of it is stored.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/bench/devices.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// "BM", "64": as the command line has them.
using Assignments = std::vector<std::pair<std::string, std::string>>;

// Reads words such as "BM=64,SHARED=static"; a piece without '=' belongs to the value before it.
// Throws InputError.
Assignments assignments_of(const std::vector<std::string>& words);

// The first valid configuration with these values; where none is assigned, the study's baseline, if
// it has one. Throws InputError for a name or a value that the study does not have, and where no
// configuration has these values.
Configuration chosen_configuration(const Study& study, const Assignments& assigned,
                                   const ProblemSize& size, const DeviceFacts& device);

struct TryOutcome {
  DeviceFacts device;
  std::string compiler;
  ProblemSize size;
  Configuration configuration;       // what was not assigned is as in the first valid one
  std::vector<std::string> refused;  // constraints that do not hold: then nothing was run
  std::optional<Trial> trial;        // empty when refused, or interrupted
};

// Tries a configuration at each size of settings.study on the first device. Throws InputError for a
// name or a value that the study does not have, and like tune() otherwise. `tell` gets each size's
// outcome when it has been tried.
void try_configuration(const Settings& settings, const Assignments& assigned, const Caller& caller,
                       const std::function<void(TryOutcome)>& tell);

}  // namespace tuner
