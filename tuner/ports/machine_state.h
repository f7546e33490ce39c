#pragma once
// What a strategy may know of the machine that answers its questions.

#include <cstddef>
#include <limits>
#include <vector>

#include "tuner/space/parameter.h"

namespace tuner {

enum class Stage {
  kQueued,     // waits for a compile worker
  kCompiling,  //
  kCompiled,   // waits for a device
  kRunning     // on a device
};

// A question that is open.
struct UnderWay {
  ConfigIndex index = 0;
  Stage stage = Stage::kQueued;
  double seconds = 0;   // since it was asked
  double in_stage = 0;  // while it is compiled: since that began
};

struct MachineState {
  std::size_t compile_workers = 1;
  std::size_t devices = 1;  // that share the search
  // Shares of the time in which the last few results came: 1 is always busy.
  double compilers_busy = 0;
  double device_busy = 0;
  // Of the budget; infinity where there is none.
  double evaluations_left = std::numeric_limits<double>::infinity();
  double seconds_left = std::numeric_limits<double>::infinity();
  std::vector<UnderWay> under_way{};
};

}  // namespace tuner
