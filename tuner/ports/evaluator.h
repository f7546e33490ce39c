#pragma once
// Runners of configurations: the engine's only way to run anything, and what a tuning run needs
// from a device for one problem size, which is a search's evaluator, and a final.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/strategy.h"
#include "tuner/space/parameter.h"
#include "tuner/space/search_space.h"

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
  // Reports how it is occupied, for strategies that heed it; the rest of the budget is not known
  // here. Empty: it measures one configuration after the other.
  virtual std::optional<MachineState> machine() const { return std::nullopt; }
  // Sets the order in which configurations that are compiled and wait for a device are measured;
  // those that are not named come last.
  virtual void reorder(std::span<const ConfigIndex> order) { static_cast<void>(order); }
};

// Sorts waiting jobs into the wanted order; jobs that are not named stay as they are, behind the
// rest.
template <typename Jobs, typename IndexOf>
void put_in_order(Jobs& jobs, std::span<const ConfigIndex> order, IndexOf index_of) {
  std::ranges::stable_sort(jobs, {}, [&](const auto& job) {
    return std::ranges::find(order, index_of(job)) - order.begin();
  });
}

// ---- of one problem size ------------------------------------------------------------------------

// The result of an earlier run, and its place in the order in which results came.
struct Recalled {
  Trial trial;
  std::size_t place = 0;
};

// One problem size to be measured. `study` and `space` outlive the evaluator.
struct SizeTask {
  const Study& study;
  const SearchSpace& space;
  ProblemSize size;
  DeviceFacts facts;
  // Buffers and answers that the device prepares once something has to be measured. The artifacts
  // of the reference's answers, if there is a reference, are compiled first, like any variant: one
  // request for each.
  SizePlan plan{};
  std::vector<CompileRequest> references{};
  // Returns the result of an earlier run, if any; such a configuration is not measured again. This
  // hook and the next ones may be empty. The trial records whether it is from the store. Of several
  // that are requested at once, those that came earlier come earlier again: a strategy then
  // proposes what it proposed then.
  std::function<std::optional<Recalled>(const Configuration&)> recall{};
  // Called just before a configuration goes to the device, so that a killed run can blame it.
  std::function<void(const Configuration&)> announce{};
  // Called when a configuration came back without a result and waits for another try.
  std::function<void(const Configuration&)> withdraw{};
  // Receives what the preparation found suspicious, such as a reference that leaves nothing but
  // zeros.
  std::function<void(const std::string&)> warn{};
  // Receives the reference's time in milliseconds, if that was taken while the size was prepared.
  std::function<void(double)> reference_timed{};
  // Receives the steps towards the size's first result (run/listener.h).
  std::function<void(std::string_view)> reached{};
  // Receives how many rounds of a final are done, of how many.
  std::function<void(int done, int rounds)> round{};
  // Seconds that went by before, and count: now() begins with them.
  double spent = 0;
};

// The device's own speed meanwhile, seen by a variant that is measured again and again: its slowest
// and fastest time over its first; 1 and 1 where there was none.
struct Drift {
  double fastest = 1;
  double slowest = 1;
};

// A device, as its backend numbers it, of this process or of another rank of an MPI job.
struct DeviceId {
  unsigned number = 0;
  unsigned rank = 0;

  bool operator==(const DeviceId&) const = default;
};

inline std::string text_of(const DeviceId& device) {
  std::string text = "device " + std::to_string(device.number);
  if (device.rank > 0) text += " of rank " + std::to_string(device.rank);
  return text;
}

// One device's share of a search.
struct DeviceShare {
  DeviceId device{};
  std::string uuid{};
  std::size_t trials = 0;  // that it measured
  // How long the sentinel, a variant that all measure, takes there over how long it takes on the
  // device that measured it first; empty: it was not measured there.
  std::optional<double> ratio{};
  double factor = 1;   // what its times were multiplied by, where the devices differ; else 1
  std::string lost{};  // why it is gone; empty: it is there
};

// A final that was held once more.
struct Elsewhere {
  DeviceId device{};
  std::vector<std::vector<double>> samples;
};

// Trials that are the same program as another.
struct DuplicateTally {
  std::size_t not_run = 0;  // because the other had been
  // Places of parameters whose values make no other program.
  std::vector<std::size_t> idle{};
};

class SizeEvaluator : public Evaluator {
 public:
  // Re-measures trials interleaved; samples[i][round] of trials[i], in milliseconds. One that fails
  // now gets its state and message and no samples, and the others go on without it. Empty when the
  // final could not be held, or not within the plan's seconds and a little more.
  virtual std::vector<std::vector<double>> remeasure(std::vector<Trial>& trials,
                                                     const FinalPlan& plan) = 0;
  // Re-measures like remeasure(), on another device than the last one; empty where there is none.
  virtual std::optional<Elsewhere> remeasure_elsewhere(std::vector<Trial>& trials,
                                                       const FinalPlan& plan) = 0;
  // Has hardware counters read of trials, in a process that times nothing afterwards, and puts them
  // into `counters` of those of which that could be done. Why the others have none; empty: all
  // have.
  virtual std::string count(std::vector<Trial>& trials, const std::vector<std::string>& counters,
                            double seconds) {
    static_cast<void>(trials), static_cast<void>(counters), static_cast<void>(seconds);
    return "nothing here can be counted";
  }
  virtual Drift drift() const = 0;
  virtual DuplicateTally duplicates() const = 0;
  // Lists the configurations on the devices now: after an interruption, those that were cut short.
  virtual std::vector<Configuration> in_flight() const = 0;
  virtual std::vector<DeviceShare> devices() const = 0;
};

// When something was at work, in seconds of the steady clock.
struct BusySpan {
  double begin = 0;
  double end = 0;
};

struct DeviceLoad {
  DeviceId device{};
  std::vector<BusySpan> busy{};
};

// When the processes that compile and run were at work since they were started, what one of the
// workers did being a span of its own, and the main memory that they take.
struct Load {
  unsigned compile_workers = 0;
  std::vector<BusySpan> compiling{};
  std::vector<DeviceLoad> on_devices{};
  std::uint64_t peak_bytes = 0;
};

// A device, or several of one model that share the work, with their compiler.
class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;
  // Opens the device when it is not open. Throws UnavailableError with the reason.
  virtual const DeviceFacts& facts() = 0;
  // The compiler's name and version, which are part of what a trial depends on.
  virtual const std::string& compiler() = 0;
  virtual std::unique_ptr<SizeEvaluator> evaluator(SizeTask task) = 0;
  virtual Load load() const = 0;
};

}  // namespace tuner
