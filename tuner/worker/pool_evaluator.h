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
#include "tuner/compile/known_sources.h"
#include "tuner/model/study.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/twins.h"

namespace tuner {

// Names and finds artifacts. Wired to the source bundle and the disk cache by the app.
struct ArtifactLibrary {
  std::function<std::string(const CompileRequest&)> key;
  std::function<std::optional<Artifact>(const std::string& key)> find;
  // What a trial depends on whose compiler opened these. May be empty: on nothing that is not
  // known.
  std::function<Provenance(const OpenedFiles&)> judge = {};
};

struct EvaluatorSetup {
  const Study* study = nullptr;
  const SearchSpace* space = nullptr;
  ProblemSize size;
  DeviceFacts facts;
  std::string source_text;
  ArtifactLibrary library;
  // What the device prepares once something has to be measured. The reference's artifact, if
  // there is a reference, is compiled first, like any variant.
  SizePlan plan;
  std::optional<CompileRequest> reference;
  // The result of an earlier run, if any; such a configuration is not measured again. The trial
  // says whether it is from the store.
  std::function<std::optional<Trial>(const Configuration&)> recall;
  // Told just before a configuration goes to the device, so that a killed run can blame it.
  std::function<void(const Configuration&)> announce;
  // Told when it came back without a result and waits for another try.
  std::function<void(const Configuration&)> withdraw;
  // Told what the preparation found suspicious, such as a reference that leaves nothing but zeros.
  std::function<void(const std::string&)> warn{};
};

class PoolEvaluator final : public Evaluator {
 public:
  PoolEvaluator(EvaluatorSetup setup, CompilePool& compilers, RunWorker& runner,
                const Interrupt& interrupt);

  std::size_t capacity() const override;
  void submit(ConfigIndex index) override;
  // Throws InputError when the reference kernel does not compile, FatalError when the problem does
  // not fit the device or the reference fails.
  std::optional<Trial> next() override;
  double now() const override;

  // Re-measures trials interleaved; samples[i][round] of trials[i], in milliseconds. One that fails
  // now gets its state and message and no samples, and the others go on without it. Empty when the
  // final could not be held.
  std::vector<std::vector<double>> duel(std::vector<Trial>& trials, int rounds, std::uint64_t seed);
  // Slowest and fastest that the sentinel was, relative to its first time; 1 and 1 without one.
  std::pair<double, double> drift() const { return drift_; }
  // Trials that were not run, because another one with the same program had been.
  std::size_t twins() const { return twins_.answered(); }
  // Metrics and objective of a trial, from its median.
  void score(Trial& trial) const;
  // What is on the device now: after an interruption, the configuration that was cut short.
  std::optional<Configuration> in_flight() const;

 private:
  struct Job {
    Trial trial;
    VariantPlan plan;
    std::string key;
    std::string program;
    TimePoint submitted;
    int chances = 0;       // second ones that it had
    TimePoint not_before;  // of the next
  };

  void finish(Job job);
  Provenance judge(const OpenedFiles& opened) const;
  bool try_again(Job& job, const Verdict& verdict);
  void fail(Job job, TrialState state, std::string message);
  // `was_there`: nothing was compiled for this one.
  void compiled(Job job, const Artifact& artifact, bool was_there);
  void start_next();
  bool answer_by_twin(Job& job);
  void take_compiled();
  void take_verdict();
  void wait();
  std::vector<VariantPlan> finalists(const std::vector<Trial>& trials);
  void start_preparing();
  void prepare_with(Artifact reference);
  void take_prepared();
  bool preparing() const {
    return preparation_ == Preparation::kReference || preparation_ == Preparation::kDevice;
  }
  bool take_reference(const CompileResult& result);
  void note_best(const Trial& trial);
  void remember(const std::string& key, std::shared_ptr<const Artifact> artifact);
  bool resolve(Job& job, CompileRequest& request);

  EvaluatorSetup setup_;
  CompilePool& compilers_;
  RunWorker& runner_;
  const Interrupt& interrupt_;
  TimePoint start_;
  enum class Preparation { kNone, kReference, kDevice, kDone } preparation_ = Preparation::kNone;
  double best_ms_ = 0;
  std::pair<double, double> drift_{1, 1};
  std::uint64_t next_run_ = 1;
  std::unordered_map<std::string, std::shared_ptr<const Artifact>> known_;  // by key
  std::size_t known_bytes_ = 0;
  std::unordered_map<std::uint64_t, Job> compiling_;  // by the pool's id
  std::optional<std::uint64_t> reference_;            // the pool's id, while it is being compiled
  Provenance of_reference_;                           // all that is measured depends on it
  std::deque<Job> ready_;
  Twins twins_;
  std::optional<Job> running_;
  std::deque<Trial> finished_;
};

}  // namespace tuner
