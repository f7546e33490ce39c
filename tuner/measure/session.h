#pragma once
// One configuration's way through admission, probe and estimate.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/measure/device_buffers.h"
#include "tuner/measure/sampler.h"
#include "tuner/measure/verdict.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Announced before it begins, so that the other side can set a deadline and name the culprit.
enum class Phase : std::uint32_t {
  kLoad,
  kVerify,
  kProbe,
  kEstimate,
  kFinal,
  kPower,
  kInputs,
  kObserve
};
// As Phase lists them.
inline constexpr std::array kPhaseNames{"load",  "verify", "probe",  "estimate",
                                        "final", "power",  "inputs", "observe"};
using PhaseSink = std::function<void(Phase)>;

// A loaded kernel, unloaded when done with.
class Loaded {
 public:
  Loaded(Backend& backend, LoadedKernel kernel) : backend_(&backend), kernel_(std::move(kernel)) {}
  Loaded(Loaded&& other) noexcept
      : backend_(std::exchange(other.backend_, nullptr)), kernel_(std::move(other.kernel_)) {}
  Loaded& operator=(Loaded&&) = delete;
  ~Loaded() {
    if (backend_ != nullptr) backend_->unload(kernel_.id);
  }
  KernelId id() const { return kernel_.id; }
  const LoadedKernel& kernel() const { return kernel_; }

 private:
  Backend* backend_;
  LoadedKernel kernel_;
};

// Verified and ready to be timed.
struct Admitted {
  Loaded kernel;
  BoundLaunch bound;
  Resources resources;  // of the main kernel
  double max_error = -1;
  bool inputs_untouched = false;  // by earlier ones, when this one was first launched
  int compared = 0;               // of its timed launches
  std::uint32_t launches = 1;     // in each of its samples
};

class Session {
 public:
  Session(Backend& backend, DeviceBuffers& buffers, Sampler& sampler, const PhaseSink& phase)
      : backend_(backend), buffers_(buffers), sampler_(sampler), phase_(phase) {}

  // The variant's scratch buffers and workspaces are reserved already.
  Expected<Admitted, Verdict> admit(const VariantPlan& variant);
  Verdict measure(const VariantPlan& variant, Admitted& admitted);
  // Launches once on poisoned outputs, and looks at what that leaves.
  std::optional<Verdict> launch_and_check(Admitted& admitted);
  // What the last launch left: outputs, guard words and workspaces.
  std::optional<Verdict> recheck(Admitted& admitted);
  std::optional<Verdict> check_answers(Admitted& admitted);
  // Whether it leaves the workspaces that are zeroed once as it found them.
  std::optional<Verdict> check_workspaces(const Admitted& admitted);
  // Launches once more, in the state that the timed launches left, on outputs that must be written.
  std::optional<Verdict> verify_again(Admitted& admitted);
  // Whether it leaves its inputs alone.
  std::optional<Verdict> check_inputs(Admitted& admitted);
  // Everything that can be asked of one of several whose timed launches took turns.
  std::optional<Verdict> verify_finalist(Admitted& admitted);
  // Whether its answers are right for the inputs that the buffers hold now, other ones than
  // when it was admitted. `ms`, if given: how long that takes.
  std::optional<Verdict> verify_on_other_inputs(Admitted& admitted, double* ms = nullptr);
  // So many samples, added to `samples`. What one of them leaves, which is drawn, must be right.
  std::optional<Verdict> sample(Admitted& admitted, std::uint32_t count,
                                std::vector<double>& samples);
  // The answer of a timed launch.
  std::optional<Verdict> check_timed(Admitted& admitted);
  // With `inputs: fresh`, else nothing: one more sample like those before, which does not count, on
  // inputs whose right answers are known. What it leaves can be checked, until the inputs are the
  // usual ones again.
  std::optional<Verdict> timed_on_known_inputs(const Admitted& admitted);
  std::optional<Verdict> back_to_usual_inputs(const Admitted& admitted);

  Backend& backend() { return backend_; }
  DeviceBuffers& buffers() { return buffers_; }
  Sampler& sampler() { return sampler_; }
  void announce(Phase phase) const {
    if (phase_) phase_(phase);
  }

 private:
  std::optional<Verdict> verify(Admitted& admitted);
  std::optional<Verdict> launch_on(const Admitted& admitted, Outputs outputs);
  std::optional<Verdict> first_launches(Admitted& admitted);
  std::optional<Verdict> check_measured(const VariantPlan& variant, Admitted& admitted,
                                        const std::vector<double>& samples, bool dropped);
  std::optional<Verdict> probe(const VariantPlan& variant, Admitted& admitted,
                               std::vector<double>& samples);
  std::optional<Verdict> measure_power(const Admitted& admitted, double& watts);
  std::optional<Verdict> estimate(Admitted& admitted, double best_ms, std::vector<double>& samples);

  const MeasureSpec& measuring() const { return buffers_.plan().measure; }
  const char* when_timed() const {
    const bool fresh = measuring().inputs == TimedInputs::kFresh;
    return fresh ? ", timed on fresh inputs" : ", after repeated launches";
  }

  Backend& backend_;
  DeviceBuffers& buffers_;
  Sampler& sampler_;
  const PhaseSink& phase_;
};

}  // namespace tuner
