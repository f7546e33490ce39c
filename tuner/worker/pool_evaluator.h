#pragma once
// The evaluator of real runs: resolve, look in the store, compile ahead in the pool, run on the
// devices of one model, one configuration at a time on each. Whoever is free takes the next.
//
// The first submission that needs a device starts the preparation of all (buffers, reference),
// which goes on while variants are compiled.
//
//   submit -> recalled from the store ----------------------------------------> finished
//          -> over a limit before compiling ----------------------------------> finished
//          -> artifact known (memory, disk) -> ready queue -> a run worker ---> finished
//          -> compile pool (equal requests share one compilation) -> ready queue
//   ready queue -> the same program was measured -----------------------------> finished
//
// The ready queue is bounded by capacity(): the tuning loop never submits more than that. Until it
// is reordered, what has been compiled for longest is next.
// Where there are several devices, what they measure is made comparable first
// (worker/device_slots).

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/recent_load.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/device_slots.h"
#include "tuner/worker/job.h"
#include "tuner/worker/variant_builder.h"

namespace tuner {

class PoolEvaluator final : public SizeEvaluator {
 public:
  // `devices` and `interrupt` outlive this; one device at least is not lost.
  PoolEvaluator(SizeTask task, Toolchain tools, std::span<WorkingDevice> devices,
                const StopRequest& interrupt);
  PoolEvaluator(const PoolEvaluator&) = delete;
  PoolEvaluator& operator=(const PoolEvaluator&) = delete;

  std::size_t capacity() const override;
  void submit(ConfigIndex index) override;
  // Throws InputError when the reference kernel does not compile, FatalError when the problem does
  // not fit the device or the reference fails, UnavailableError when the last device is gone.
  std::optional<Trial> next(double until) override;
  void cancel() override;
  double now() const override;
  std::optional<MachineState> machine() const override;
  void reorder(std::span<const ConfigIndex> order) override;

  std::vector<std::vector<double>> remeasure(std::vector<Trial>& trials,
                                             const FinalPlan& plan) override;
  std::optional<Elsewhere> remeasure_elsewhere(std::vector<Trial>& trials,
                                               const FinalPlan& plan) override;
  std::string count(std::vector<Trial>& trials, const std::vector<std::string>& counters,
                    double seconds) override;
  Drift drift() const override { return drift_; }
  DuplicateTally duplicates() const override {
    return {duplicates_.answered(), duplicates_.idle()};
  }
  std::vector<Configuration> in_flight() const override;
  std::vector<DeviceShare> devices() const override { return slots_.shares(); }

 private:
  using Rounds = std::function<void(int done, int rounds)>;

  void finish(Job job);
  void settle(Job job);
  void to_queue(Job job);
  bool try_again(Job& job, const Verdict& verdict);
  void run_again(Job job, const std::string& why);
  void start_next(DeviceSlot& slot);
  void begin_next(DeviceSlot& slot);
  bool answer_by_duplicate(Job& job);
  std::vector<Job> take_compiled();
  void take_verdict(DeviceSlot& slot);
  void judge_again(DeviceSlot& slot, std::optional<Job> job);
  void revise(Job job, Verdict verdict);
  void measured(DeviceSlot& slot, Job job, Verdict verdict);
  std::optional<Trial> take_finished();
  void wait(double until);
  // Whether an interruption ends the waiting for what is on the devices, too.
  bool is_patience_over();
  bool is_anything_outstanding() const;
  std::vector<VariantPlan> finalists(const std::vector<Trial>& trials, DeviceSlot& slot,
                                     const RunWorker::IsOver& is_over);
  std::vector<std::vector<double>> remeasure_on(DeviceSlot& slot, std::vector<Trial>& trials,
                                                const FinalPlan& plan, const Rounds& rounds);
  void score(Trial& trial) const;
  void note_best(const Trial& trial);

  SizeTask task_;
  Toolchain tools_;
  const StopRequest& interrupt_;
  TimePoint start_;
  VariantBuilder builder_;
  DeviceSlots slots_;
  double best_ms_ = 0;
  Drift drift_;
  ReadyQueue ready_;
  Duplicates duplicates_;
  std::map<std::size_t, Trial> recalled_;  // by the order in which they came
  std::deque<Trial> finished_;
  RecentLoad load_;
  bool is_cancelled_ = false;             // nobody waits for the preparation
  std::optional<TimePoint> interrupted_;  // when that was first seen
};

}  // namespace tuner
