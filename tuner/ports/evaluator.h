#pragma once
// The engine's only way to run anything.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "tuner/model/trial.h"
#include "tuner/ports/strategy.h"
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
  // interrupted, or when nothing is outstanding. One that came before may come again, where it has
  // turned out to be wrong: it takes the place of the first.
  virtual std::optional<Trial> next(double until) = 0;
  // Ends what is outstanding and not on the device yet: it never comes back, and nothing is known
  // of it.
  virtual void cancel() = 0;
  // Seconds since tuning began: wall clock, or a recording's simulated clock.
  virtual double now() const = 0;
  // How it is occupied, for strategies that heed it; what is left of the budget is not its to say.
  // Empty: it answers one question after the other.
  virtual std::optional<MachineState> machine() const { return std::nullopt; }
  // What is compiled and waits for a device is measured in this order; what is not named, last.
  virtual void reorder(std::span<const ConfigIndex> order) { static_cast<void>(order); }
};

// What waits, in the order that is wanted; what is not named stays as it is, behind the rest.
template <typename Jobs, typename IndexOf>
void put_in_order(Jobs& jobs, std::span<const ConfigIndex> order, IndexOf index_of) {
  std::ranges::stable_sort(jobs, {}, [&](const auto& job) {
    return std::ranges::find(order, index_of(job)) - order.begin();
  });
}

}  // namespace tuner
