#pragma once
// Sizes tuned at the same time by groups of devices: a thread for each group, which takes the next
// size whenever it is free. Knows groups by what they do, not what they are made of.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "tuner/base/worker_threads.h"
#include "tuner/model/problem_size.h"
#include "tuner/run/device_run.h"
#include "tuner/run/listener.h"

namespace tuner {

// Groups of devices that tune sizes at the same time, each one size after the other.
struct SizeRound {
  std::vector<std::size_t> devices;  // of each group, one at least
  std::size_t sizes = 0;             // that the round takes, from the front
};

// The next round of so many sizes on so many devices, none of which is 0. Each device has a group
// of its own as long as there are sizes for all of them; what is left over, fewer sizes than
// devices, is for groups of several.
SizeRound next_round(std::size_t sizes, std::size_t devices);

// Devices that tune one size after the other, with all that they need for themselves. Used by one
// thread.
class SizeGroup {
 public:
  virtual ~SizeGroup() = default;
  // Throws as DeviceRun::tune() does, and UnavailableError when there is no device from the start.
  virtual SizeOutcome tune(const ProblemSize& size) = 0;
  // Whether it has no device any more.
  virtual bool is_gone() const = 0;
};

// Source of groups.
class GroupSource {
 public:
  virtual ~GroupSource() = default;
  virtual std::size_t devices() const = 0;  // that are there
  // The groups of a round, of so many devices each. Each has a listener.
  virtual std::vector<std::unique_ptr<SizeGroup>> deal(
      const std::vector<std::size_t>& devices, const std::vector<RunListener>& listeners) = 0;
  // Does what the groups need in common, on a thread beside theirs, until stop_serving().
  virtual void serve() = 0;
  virtual void stop_serving() = 0;
  // Ends a round, whose groups are gone.
  virtual void gather() = 0;
};

struct SideBySide {
  const std::vector<ProblemSize>& sizes;
  GroupSource& source;
  WorkerThreads& threads;  // whose threads outlive what groups start
  const RunListener& listener;
  std::function<bool()> interrupted;
  // Reports an outcome, and throws where there is no going on.
  std::function<void(const SizeOutcome&, const RunListener&)> conclude;

  // Tunes the sizes. Returns the outcomes of those that were begun, in their order. A size whose
  // group has lost its last device goes to another group. The first exception is thrown when all
  // groups have ended, which begin nothing more; UnavailableError when no device is left.
  std::vector<SizeOutcome> tune() const;
};

}  // namespace tuner
