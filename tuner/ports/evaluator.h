#pragma once
// The engine's only way to run anything.

#include <cstddef>
#include <limits>
#include <optional>

#include "tuner/model/trial.h"
#include "tuner/ports/machine_state.h"
#include "tuner/space/parameter.h"

namespace tuner {

// A moment that never comes, for who waits without a limit.
inline constexpr double kNoEnd = std::numeric_limits<double>::infinity();

// The engine's only way to run anything.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // How many configurations it is useful to have submitted and not yet returned.
  virtual std::size_t capacity() const = 0;
  virtual void submit(ConfigIndex index) = 0;
  // The next finished trial, in any order; waits for it until now() is `until`. Empty then, when
  // interrupted, or when nothing is outstanding.
  virtual std::optional<Trial> next(double until) = 0;
  // Ends what is outstanding and not on the device yet: it never comes back, and nothing is known
  // of it.
  virtual void cancel() = 0;
  // Seconds since tuning began: wall clock, or a recording's simulated clock.
  virtual double now() const = 0;
  // How it is occupied, for strategies that heed it; what is left of the budget is not its to say.
  // Empty: it answers one question after the other.
  virtual std::optional<MachineState> machine() const { return std::nullopt; }
};

}  // namespace tuner
