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
// Names indexed by Phase.
inline constexpr std::array kPhaseNames{"load",  "verify", "probe",  "estimate",
                                        "final", "power",  "inputs", "observe"};
using PhaseSink = std::function<void(Phase)>;

// Looks at answers of launches on drawn inputs. The reference has to run for each, so that beyond
// the fewest there are no more than cost a twentieth of the time.
struct Looks {
  int fewest = 1;
  int taken = 0;
  double seconds = 0;        // of looking
  double timed_seconds = 0;  // of the samples among which they are drawn
};
// At a variant that may become the best, and at a finalist.
inline constexpr int kFewestLooks = 3;

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
  SampleInputs inputs = SampleInputs::kPresent;
  Looks looks{};
};

class Session {
 public:
  Session(Backend& backend, DeviceBuffers& buffers, Sampler& sampler, const PhaseSink& phase)
      : backend_(backend), buffers_(buffers), sampler_(sampler), phase_(phase) {}

  // The variant's scratch buffers and workspaces are reserved already.
  Expected<Admitted, Verdict> admit(const VariantPlan& variant);
  Verdict measure(const VariantPlan& variant, Admitted& admitted);
  // Whether a launch is right if such buffers hold zeros when it begins, and wrong on poison.
  DeviceResult<bool> counts_on_zeros(const Admitted& admitted, Role role);
  // Adds what is behind a wrong answer on poison, where launches show it.
  std::optional<Verdict> with_cause(const Admitted& admitted, Verdict wrong);
  // Launches once on poisoned outputs, and looks at what that leaves.
  std::optional<Verdict> launch_and_check(Admitted& admitted);
  // Checks what the last launch left: outputs, guard words and workspaces.
  std::optional<Verdict> recheck(Admitted& admitted);
  std::optional<Verdict> check_guards();
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
  // when it was admitted.
  std::optional<Verdict> verify_on_other_inputs(Admitted& admitted);
  // So many samples, added to `samples`. What one of them leaves, which is drawn, must be right.
  std::optional<Verdict> sample(Admitted& admitted, std::uint32_t count,
                                std::vector<double>& samples);
  // One sample on inputs that are drawn for it. Whether its answer is looked at is drawn after it
  // was taken, so that of the next `left` samples, this one among them, enough are.
  std::optional<Verdict> sample_on_drawn_inputs(Admitted& admitted, std::size_t left,
                                                std::vector<double>& samples);
  // After such samples: takes some that do not count where too few were looked at.
  std::optional<Verdict> look_enough(Admitted& admitted);
  // The answer of a timed launch on the study's own inputs.
  std::optional<Verdict> check_timed(Admitted& admitted);
  std::optional<Verdict> back_to_usual_inputs(const Admitted& admitted);
  // How finalists and what may win are timed.
  SampleInputs inputs_of_the_best() const {
    return can_draw_timed_inputs(buffers_.plan()) ? SampleInputs::kDrawn : SampleInputs::kPresent;
  }

  Backend& backend() { return backend_; }
  DeviceBuffers& buffers() { return buffers_; }
  Sampler& sampler() { return sampler_; }
  void announce(Phase phase) const {
    current_ = phase;
    if (phase_) phase_(phase);
  }
  // A reference that is so slow answers for one sample of what has become the best, and in a final
  // for that of the best alone: as often as it is asked for another set of inputs anyway.
  bool is_answer_slow() const {
    constexpr double kSlow = 0.003;  // seconds
    return measuring().by_variant || buffers_.answer_seconds() > kSlow;
  }

 private:
  std::optional<Verdict> verify(Admitted& admitted);
  std::optional<Verdict> launch_on(const Admitted& admitted, Outputs outputs);
  std::optional<Verdict> first_launches(Admitted& admitted);
  std::optional<Verdict> check_measured(Admitted& admitted, bool dropped, bool is_best);
  std::optional<Verdict> check_last_samples(Admitted& admitted, bool dropped);
  std::optional<Verdict> look(Admitted& admitted);
  Verdict wrong_when_looked_at(Admitted& admitted, Verdict wrong);
  bool is_look_due(const Looks& looks, std::size_t left);
  // Takes the first of the samples on drawn inputs, in place of those on the usual ones.
  std::optional<Verdict> begin_on_drawn_inputs(Admitted& admitted, double one_ms,
                                               std::vector<double>& samples);
  std::optional<Verdict> probe(const VariantPlan& variant, Admitted& admitted,
                               std::vector<double>& samples);
  std::optional<Verdict> measure_power(const Admitted& admitted, double& watts);
  std::optional<Verdict> estimate(Admitted& admitted, double best_ms, std::vector<double>& samples);

  const MeasureSpec& measuring() const { return buffers_.plan().measure; }

  Backend& backend_;
  DeviceBuffers& buffers_;
  Sampler& sampler_;
  const PhaseSink& phase_;
  mutable Phase current_ = Phase::kLoad;
};

}  // namespace tuner
