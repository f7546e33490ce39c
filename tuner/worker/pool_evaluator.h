#pragma once
// The evaluator of real runs: resolve, look in the store, compile ahead in the pool, run one at a
// time on the device.
//
//   submit -> recalled from the store ----------------------------------------> finished
//          -> over a limit before compiling ----------------------------------> finished
//          -> artifact known (memory, disk) -> ready queue -> run worker -----> finished
//          -> compile pool (equal requests share one compilation) -> ready queue
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
#include "tuner/model/study.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// Names and finds artifacts. Wired to the source bundle and the disk cache by the app.
struct ArtifactLibrary {
  std::function<std::string(const CompileRequest&)> key;
  std::function<std::optional<Artifact>(const std::string& key)> find;
};

struct EvaluatorSetup {
  const Study* study = nullptr;
  const SearchSpace* space = nullptr;
  ProblemSize size;
  DeviceFacts facts;
  std::string source_text;
  ArtifactLibrary library;
  // The result of an earlier run, if any; such a configuration is not measured again.
  std::function<std::optional<Trial>(const Configuration&)> recall;
  // Told just before a configuration goes to the device, so that a killed run can blame it.
  std::function<void(const Configuration&)> announce;
  // Told when it came back without a result and waits for another try.
  std::function<void(const Configuration&)> withdraw;
};

class PoolEvaluator final : public Evaluator {
 public:
  PoolEvaluator(EvaluatorSetup setup, CompilePool& compilers, RunWorker& runner,
                const Interrupt& interrupt);

  std::size_t capacity() const override;
  void submit(ConfigIndex index) override;
  std::optional<Trial> next() override;
  double now() const override;

  // Re-measures trials interleaved; samples[i][round] of trials[i], or empty when that failed.
  std::vector<std::vector<double>> duel(const std::vector<Trial>& trials, int rounds,
                                        std::uint64_t seed);
  // Metrics and objective of a trial, from its median.
  void score(Trial& trial) const;
  // What is on the device now: after an interruption, the configuration that was cut short.
  std::optional<Configuration> in_flight() const;

 private:
  struct Job {
    Trial trial;
    VariantPlan plan;
    std::string key;
    TimePoint submitted;
    int chances = 0;       // second ones that it had
    TimePoint not_before;  // of the next
  };

  void finish(Job job);
  bool try_again(Job& job, const Verdict& verdict);
  void fail(Job job, TrialState state, std::string message);
  void compiled(Job job, const Artifact& artifact);
  void start_next();
  void take_compiled();
  void take_verdict();
  void wait();
  void note_best(const Trial& trial);
  void remember(const std::string& key, const Artifact& artifact);
  bool resolve(Job& job, CompileRequest& request);

  EvaluatorSetup setup_;
  CompilePool& compilers_;
  RunWorker& runner_;
  const Interrupt& interrupt_;
  TimePoint start_;
  double best_ms_ = 0;
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::string, std::shared_ptr<const Artifact>> known_;  // by key
  std::size_t known_bytes_ = 0;
  std::unordered_map<std::string, std::vector<Job>> compiling_;  // by key
  std::unordered_map<std::uint64_t, std::string> requests_;      // compile id -> key
  std::deque<Job> ready_;
  std::optional<Job> running_;
  std::deque<Trial> finished_;
};

}  // namespace tuner
