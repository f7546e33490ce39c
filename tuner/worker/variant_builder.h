#pragma once
// Builds the programs of a search: the references, whose answers a device then prepares, and the
// variants that configurations become, compiled in this run or by an earlier one.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/model/artifact.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/strategy.h"
#include "tuner/source/known_sources.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/job.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

class Preparation {
 public:
  // `study`, `tools` and `runner` outlive this. `references` make the artifacts of the answers of
  // plan.reference, in their order.
  Preparation(const Study& study, ProblemSize size, SizePlan plan,
              std::vector<CompileRequest> references, const Toolchain& tools, RunWorker& runner);

  // The first call begins; the others do nothing.
  void start();
  // Takes what is the reference's of the pool's answers: false for the others. Throws InputError
  // when the reference does not compile.
  bool take(const CompileResult& result);
  // Looks whether the device is ready, for the first time or after its worker ended; at the first
  // time, returns what was found suspicious. Throws InputError for a constant that does not fit,
  // FatalError when the size cannot be prepared.
  std::vector<std::string> poll();

  bool is_done() const { return state_ == State::kDone; }
  bool is_under_way() const { return state_ == State::kReference || state_ == State::kDevice; }
  // Provenance of the references: all that is measured depends on it.
  const Provenance& provenance() const { return provenance_; }

 private:
  void add(std::size_t answer, Artifact reference);
  void prepare_when_compiled();

  const Study& study_;
  ProblemSize size_;
  SizePlan plan_;
  std::vector<CompileRequest> references_;
  const Toolchain& tools_;
  RunWorker& runner_;
  enum class State { kNone, kReference, kDevice, kDone } state_ = State::kNone;
  std::map<std::uint64_t, std::size_t> awaited_;  // the pool's ids, and which answers they are for
  Provenance provenance_;
};

// Artifacts in memory, so that one that several configurations share is read and checked once.
class ArtifactsAtHand {
 public:
  // Null: it is not here.
  std::shared_ptr<const Artifact> find(const std::string& key) const;
  // Keeps the first artifact with each key. Small artifacts by the thousand would fill the memory:
  // then all are forgotten, and the cache on the disk still has them.
  void remember(const std::string& key, std::shared_ptr<const Artifact> artifact);

 private:
  std::unordered_map<std::string, std::shared_ptr<const Artifact>> known_;
  std::size_t bytes_ = 0;
};

class VariantBuilder {
 public:
  // Both outlive this.
  VariantBuilder(const SizeTask& task, const Toolchain& tools) : task_(task), tools_(tools) {}

  // The job's plan, geometry and key, and what is to be compiled. Empty when it cannot be: the
  // trial says why.
  std::optional<CompileRequest> resolve(Job& job) const;
  // The job with its artifact where that is known already, or with why there is none; empty: it is
  // being compiled, and take() will return it.
  std::optional<Job> build(Job job, CompileRequest request);
  // The job that a result of the pool is the end of, if it is one of ours.
  std::optional<Job> take(const CompileResult& result);

  bool is_idle() const { return compiling_.empty(); }
  // Ends all that is being compiled: it never comes back.
  void cancel();
  // Adds what is being compiled, in the order in which it was asked for.
  void describe(MachineState& machine) const;

 private:
  std::shared_ptr<const Artifact> at_hand(const std::string& key);
  // `was_there`: nothing was compiled for this one.
  Job compiled(Job job, const Artifact& artifact, bool was_there) const;

  const SizeTask& task_;
  const Toolchain& tools_;
  ArtifactsAtHand at_hand_;
  std::unordered_map<std::uint64_t, Job> compiling_;  // by the pool's id
  bool has_compiled_ = false;
};

}  // namespace tuner
