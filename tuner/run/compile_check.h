#pragma once
// Compiles the variants of a study for an architecture that need not be here.

#include <cstdint>
#include <functional>
#include <string>

#include "tuner/base/interrupt.h"
#include "tuner/model/artifact.h"
#include "tuner/model/launch.h"
#include "tuner/model/study.h"
#include "tuner/run/sources.h"
#include "tuner/worker/channel.h"

namespace tuner {

struct CompileCheckSettings {
  std::string arch;
  unsigned jobs = 1;
  std::uint64_t limit = 0;  // compile at most this many configurations, drawn by seed; 0 = all
  std::uint64_t seed = 1;
};

// What came of one configuration.
struct CheckedVariant {
  Configuration configuration;
  std::string state;  // "ok", "constraints" or "compile"
  LaunchGeometry geometry;
  Resources resources;  // unknown where nothing was compiled
  double occupancy = -1;
  double milliseconds = 0;  // of the compilation
  std::string message;
};

struct CompileCheckEnd {
  std::uint64_t compiled = 0;
  std::uint64_t failed = 0;
  std::uint64_t programs = 0;  // different ones
  std::string first_failure;
};

// `tell` hears of each variant when its answer comes. Ends early when interrupted.
// `study` has a kernel.
CompileCheckEnd check_compile(const Study& study, const ProblemSize& size,
                              const CompileCheckSettings& settings, const WorkerProgram& program,
                              const ArtifactShelf& shelf, const Interrupt& interrupt,
                              const std::function<void(const CheckedVariant&)>& tell);

}  // namespace tuner
