#pragma once
// The evaluator of real runs: resolve, look in the store, compile ahead in the pool, run one at a
// time on the device.
//
// The first submission that needs the device starts its preparation (buffers, reference), which
// goes on while variants are compiled.
//
//   submit -> recalled from the store ----------------------------------------> finished
//          -> over a limit before compiling ----------------------------------> finished
//          -> artifact known (memory, disk) -> ready queue -> run worker -----> finished
//          -> compile pool (equal requests share one compilation) -> ready queue
//   ready queue -> the same program was measured -----------------------------> finished
//
// The ready queue is bounded by capacity(): the tuning loop never submits more than that.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/engine/recent_load.h"
#include "tuner/ports/size_evaluator.h"
#include "tuner/worker/artifacts_at_hand.h"
#include "tuner/worker/preparation.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/toolchain.h"
#include "tuner/worker/twins.h"

namespace tuner {

class PoolEvaluator final : public SizeEvaluator {
 public:
  // `runner` and `interrupt` outlive this.
  PoolEvaluator(SizeTask task, Toolchain tools, RunWorker& runner, const StopRequest& interrupt);
  PoolEvaluator(const PoolEvaluator&) = delete;
  PoolEvaluator& operator=(const PoolEvaluator&) = delete;
  // Ends what is still on the device.
  ~PoolEvaluator() override;

  std::size_t capacity() const override;
  void submit(ConfigIndex index) override;
  // Throws InputError when the reference kernel does not compile, FatalError when the problem does
  // not fit the device or the reference fails.
  std::optional<Trial> next(double until) override;
  void cancel() override;
  double now() const override;
  std::optional<MachineState> machine() const override;

  std::vector<std::vector<double>> duel(std::vector<Trial>& trials, const FinalPlan& plan) override;
  Drift drift() const override { return drift_; }
  std::size_t twins() const override { return twins_.answered(); }
  std::optional<Configuration> in_flight() const override;

 private:
  struct Job {
    Trial trial;
    VariantPlan plan;
    std::string key;
    std::string program;
    TimePoint asked;
    TimePoint submitted;   // to the device, once it is
    int chances = 0;       // second ones that it had
    TimePoint not_before;  // of the next
  };

  void finish(Job job);
  bool try_again(Job& job, const Verdict& verdict);
  void fail(Job job, TrialState state, std::string message);
  // `was_there`: nothing was compiled for this one.
  void compiled(Job job, const Artifact& artifact, bool was_there);
  void start_next();
  bool answer_by_twin(Job& job);
  void take_compiled();
  void take_verdict();
  void wait(double until);
  // Whether an interruption ends the waiting for what is on the device, too.
  bool is_patience_over();
  std::vector<VariantPlan> finalists(const std::vector<Trial>& trials,
                                     const RunWorker::IsOver& is_over);
  std::shared_ptr<const Artifact> at_hand(const std::string& key);
  void take_prepared();
  void score(Trial& trial) const;
  void note_best(const Trial& trial);
  bool resolve(Job& job, CompileRequest& request);

  SizeTask task_;
  Toolchain tools_;
  RunWorker& runner_;
  const StopRequest& interrupt_;
  TimePoint start_;
  Preparation preparation_;
  double best_ms_ = 0;
  Drift drift_;
  std::uint64_t next_run_ = 1;
  ArtifactsAtHand at_hand_;
  std::unordered_map<std::uint64_t, Job> compiling_;  // by the pool's id
  std::deque<Job> ready_;
  Twins twins_;
  std::optional<Job> running_;
  std::map<std::size_t, Trial> recalled_;  // by the order in which they came
  std::deque<Trial> finished_;
  RecentLoad load_;
  bool is_cancelled_ = false;             // nobody waits for the preparation
  std::optional<TimePoint> interrupted_;  // when that was first seen
};

}  // namespace tuner
