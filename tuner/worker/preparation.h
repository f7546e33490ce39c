#pragma once
// Gets a device ready for one problem size while variants are being compiled: the reference is
// compiled, buffers are filled, the reference runs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/known_sources.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/toolchain.h"

namespace tuner {

// A line for a compiler's log that complains of a parameter's name without the prefix of its macro;
// otherwise empty.
std::string missing_prefix(const Study& study, const std::string& log);

class Preparation {
 public:
  // `study`, `tools` and `runner` outlive this. `reference` is what makes plan.reference's
  // artifact.
  Preparation(const Study& study, ProblemSize size, SizePlan plan,
              std::optional<CompileRequest> reference, const Toolchain& tools, RunWorker& runner);

  // The first call begins; the others do nothing.
  void start();
  // Takes what is the reference's of the pool's answers: false for the others. Throws InputError
  // when the reference does not compile.
  bool take(const CompileResult& result);
  // Looks whether the device is ready; once it is, returns what was found suspicious. Throws
  // InputError for a constant that does not fit, FatalError when the size cannot be prepared.
  std::vector<std::string> poll();

  bool is_done() const { return state_ == State::kDone; }
  bool is_under_way() const { return state_ == State::kReference || state_ == State::kDevice; }
  // What the reference was compiled from: all that is measured depends on it.
  const Provenance& provenance() const { return provenance_; }

 private:
  void prepare_with(Artifact reference);

  const Study& study_;
  ProblemSize size_;
  SizePlan plan_;
  std::optional<CompileRequest> reference_;
  const Toolchain& tools_;
  RunWorker& runner_;
  enum class State { kNone, kReference, kDevice, kDone } state_ = State::kNone;
  std::optional<std::uint64_t> awaited_;  // the pool's id of the reference
  Provenance provenance_;
};

}  // namespace tuner
