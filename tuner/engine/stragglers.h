#pragma once
// Compilations that take so much longer than the others that nobody should wait for them.

#include <optional>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/ports/machine_state.h"

namespace tuner {

// A straggler has been compiled for more than 10 s and more than ten times the median of those that
// are done. It matters once nothing else is open: until then nobody waits for it alone.
class Stragglers {
 public:
  // What was compiled for it counts; what came from a cache took no time.
  void heard(const Trial& trial);
  // Whether everything that is open is a straggler.
  bool hold_all_up(const MachineState& machine) const;
  // From which on a compilation is one; empty while too few are done to tell.
  std::optional<double> limit_seconds() const;

 private:
  std::vector<double> compile_seconds_;
};

}  // namespace tuner
