#pragma once
// Gets a device ready for one problem size while variants are being compiled: the reference is
// compiled, for each of its answers, buffers are filled, the reference runs.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/source/known_sources.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// A line for a compiler's log that complains of a parameter's name without the prefix of its macro;
// otherwise empty.
std::string missing_prefix(const Study& study, const std::string& log);

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
  // What the references were compiled from: all that is measured depends on it.
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

}  // namespace tuner
