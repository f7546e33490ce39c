#pragma once
// Makes of configurations what a device can run: resolved, and compiled in this run or by an
// earlier one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "tuner/model/artifact.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/strategy.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/job.h"

namespace tuner {

// Artifacts in memory, so that one that several configurations share is read and checked once.
class ArtifactsAtHand {
 public:
  // Null: it is not here.
  std::shared_ptr<const Artifact> find(const std::string& key) const;
  // Of several with this key, the first. Small artifacts by the thousand would fill the memory:
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
