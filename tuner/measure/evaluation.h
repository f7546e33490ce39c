#pragma once
// One problem size on one opened device: proves configurations right and times them. Runs in the
// run worker; any call may end the process.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/measure/device_buffers.h"
#include "tuner/measure/sampler.h"
#include "tuner/measure/session.h"
#include "tuner/measure/watches.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// Which of the finalists failed, and how.
struct FinalistFailure {
  std::size_t plan = 0;
  Verdict verdict;
};

// Plugins that the study's plan asks for: its problem, if any, and its observers.
struct StudyPlugins {
  std::unique_ptr<Problem> problem{};
  std::vector<std::unique_ptr<Observer>> observers{};
};

class Evaluation {
 public:
  // `backend` must outlive this object. plan.reference, where present, holds its artifact.
  Evaluation(Backend& backend, SizePlan plan, StudyPlugins plugins = {})
      : backend_(backend),
        plugins_(std::move(plugins)),
        buffers_(backend, std::move(plan), plugins_.problem.get()),
        sampler_(backend, buffers_),
        kept_(buffers_),
        sentinel_(backend, buffers_) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  // Allocates and fills all buffers and runs the reference once. A failure means that nothing can
  // be evaluated at this size; the message says what (no memory, missing file, bad reference).
  DeviceResult<Ok> prepare(Doubts doubts = Doubts::kSought);
  // Returns what the user should know of the reference's answers, after prepare().
  const std::vector<std::string>& warnings() const { return buffers_.warnings(); }
  // Returns the reference's time in milliseconds, after prepare(); 0 where it was not timed.
  double reference_ms() const { return buffers_.reference_ms(); }
  // Names the constant that the study and the reference do not agree on, after prepare() failed; or
  // empty.
  const std::string& wrong_constant() const { return buffers_.wrong_constant(); }

  // Admit (load, limits, one launch, right answer, guards), probe, estimate, and once more the
  // answer, the guards and the inputs; what is right and was not dropped is then observed. Never
  // throws for what a configuration does. After context_dead or device_lost this object must not be
  // used again.
  Verdict evaluate(const VariantPlan& variant, const PhaseSink& phase);

  // Re-measures configurations interleaved, in a random order drawn anew in each round from
  // its seed: result[variant][round] in milliseconds. Each is verified before and after. kFinal is
  // announced before each round. Rounds that the plan has no time for are left out.
  // With counters in the plan: result[variant][counter] instead, and nothing is timed.
  using Samples = Expected<std::vector<std::vector<double>>, FinalistFailure>;
  Samples remeasure(const std::vector<VariantPlan>& variants, const FinalPlan& plan,
                    const PhaseSink& phase);

 private:
  Verdict judge(const VariantPlan& variant, Session& session);
  std::optional<FinalistFailure> admit(const std::vector<VariantPlan>& variants,
                                       const FinalPlan& plan, Session& session,
                                       std::vector<Admitted>& finalists);
  std::optional<FinalistFailure> check(const std::vector<VariantPlan>& variants,
                                       const FinalPlan& plan,
                                       const std::vector<std::vector<double>>& times,
                                       Session& session, std::vector<Admitted>& finalists,
                                       std::size_t last);
  Samples count(const std::vector<std::string>& counters, Session& session,
                const std::vector<Admitted>& finalists);

  Backend& backend_;
  StudyPlugins plugins_;
  DeviceBuffers buffers_;
  Sampler sampler_;
  KeptWatch kept_;
  Sentinel sentinel_;
};

}  // namespace tuner
