#pragma once
// The buffers of one problem size on one device: inputs, outputs with guard words on both sides,
// pristine copies, expected answers. Says how a variant is launched on them, puts them into a known
// state before a launch, and looks at what it left.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/measure/answers.h"
#include "tuner/measure/bound_launch.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/input_sets.h"
#include "tuner/measure/protection.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Contents of an output before a launch that is to be checked. Poison (NaN) is never written by a
// kernel. A decoy may be there before a timed launch: numbers like those of an answer, at the wrong
// places.
enum class Outputs { kPoisoned, kDecoys };

// Whether a size's answers are looked at for what is doubtful about them. In another process, after
// a fault, that is known.
enum class Doubts { kSought, kKnown };

class DeviceBuffers {
 public:
  // `problem` outlives this; null where the plan leaves nothing to one.
  DeviceBuffers(Backend& backend, SizePlan plan, Problem* problem = nullptr)
      : backend_(backend),
        memory_(backend.memory(), problem),
        plan_(std::move(plan)),
        answers_(backend, plan_, problem),
        constants_(backend, plan_, problem) {}

  // Allocates and fills everything and runs the reference, for each of its answers.
  DeviceResult<Ok> prepare(Doubts doubts = Doubts::kSought);
  const SizePlan& plan() const { return plan_; }
  // Returns what is suspicious about the reference's answers, after prepare().
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Returns the reference's median time in milliseconds, after prepare(); 0 where it was not timed.
  double reference_ms() const { return answers_.reference_ms(); }
  // Names the constant that does not fit the reference's symbol, after prepare() failed; or empty.
  const std::string& wrong_constant() const { return answers_.wrong_constant(); }

  // Changes the inputs to those of this set, drawn anew, or of set 0, which is what prepare() made.
  // Constants change, too: call set_constants() for a variant that is loaded already.
  DeviceResult<Ok> use_inputs(std::uint32_t set);
  // Undoes what a launch may have written into the random inputs of the set.
  DeviceResult<Ok> restore_drawn_inputs();
  // Gives the variant the constants of the inputs as they are.
  DeviceResult<Ok> set_constants(const BoundLaunch& bound) {
    return constants_.set(bound.sequence.front().kernel, bound.constants);
  }
  // Has the reference say what is right for the inputs as they are, where that is not known yet.
  DeviceResult<Ok> compute_answer(std::uint32_t key);
  // Returns how long such an answer takes, in seconds.
  double answer_seconds() const { return answers_.seconds(); }

  // Makes room for the variant's scratch buffers and workspaces. Invalidates bindings made before.
  DeviceResult<Ok> reserve(const VariantPlan& variant);
  BoundLaunch bind(const VariantPlan& variant, const LoadedKernel& kernel) const;

  // Makes workspaces (arguments of that role) as if new, before a variant's first launch.
  DeviceResult<Ok> renew_workspaces(const BoundLaunch& bound);
  // Puts workspaces where this variant has them, before each of its launches. They are renewed when
  // a variant with others was launched since.
  DeviceResult<Ok> enter(const BoundLaunch& bound) {
    return entered_ == bound.bytes ? Ok{} : renew_workspaces(bound);
  }
  // Prepares a launch that is to be checked: entered, in-place arguments restored, scratch zeroed,
  // outputs as asked for, guard words in place. Workspaces stay as the launch before left them, as
  // they do before a timed one.
  DeviceResult<Ok> reset(const BoundLaunch& bound, Outputs outputs);
  // After reset(): zeros for poison, in outputs or in workspaces that nobody zeroes; false: there
  // are none.
  DeviceResult<bool> zero(const BoundLaunch& bound, Role role);
  // Describes what a launch left in a workspace that is zeroed once (renewed when so), or nothing.
  DeviceResult<std::optional<std::string>> left_behind(const BoundLaunch& bound);
  // Whether a launch on decoys says more than one on poison: there is an output that is compared.
  bool has_decoys() const;
  // Describes which buffer was written outside of its contents (repaired when so), or nothing. The
  // guard words are where the variant that was entered last has them.
  DeviceResult<std::optional<std::string>> broken_guard();
  DeviceResult<OutputCheck> check_outputs(const BoundLaunch& bound);
  // Guarded, one for each argument; of scalars none.
  std::vector<BufferId> ids() const;
  // Name of an input that no longer holds what it was filled with (refilled when so), or nothing.
  DeviceResult<std::optional<std::string>> repair_inputs();
  // Whether nobody may know what the inputs hold now.
  bool inputs_are_secret() const { return set_.number != 0; }
  // Describes data kept for comparing or restoring that no longer holds what it did, or returns
  // nothing. The inputs are the first set afterwards.
  DeviceResult<std::optional<std::string>> damaged();
  std::uint64_t kept_bytes() const;
  // So small that repair_inputs() costs next to nothing.
  bool inputs_are_small() const;
  // Returns whether nothing was launched since the inputs last held what they were filled with.
  bool inputs_untouched() const { return inputs_untouched_; }

 private:
  struct Slot {
    DeviceBuffer data;           // guard words, contents, guard words
    std::uint64_t capacity = 0;  // bytes of contents; grows for scratch and workspaces
    // Guard words and contents. Of inout: what every launch begins with; of small inputs, too.
    DeviceBuffer pristine;
    bool is_sealed = false;  // the copy, with the first set in it
  };

  DeviceResult<Ok> prepare_argument(std::uint32_t index);
  DeviceResult<Ok> fill_input(Slot& slot, const ArgumentPlan& argument);
  DeviceResult<Ok> fill_all_inputs();
  // Those that are random in a set that was there, or in the one that is.
  DeviceResult<Ok> fill_drawn_inputs(std::uint32_t before);
  DeviceResult<Ok> prepare_answers(Doubts doubts);
  ReferenceInputs inputs_as_they_are() const;
  DeviceResult<RightAnswer*> answer_for(std::uint32_t key);
  DeviceResult<Ok> warn_of_idle_inputs();
  DeviceResult<bool> is_idle(std::uint32_t index, std::uint64_t from);
  DeviceResult<bool> is_read_behind_end(std::uint32_t index);
  DeviceResult<Ok> warn_of_unchanged_outputs(const RightAnswer& answer);
  DeviceResult<Ok> warn_of_unanswered_sets();
  DeviceResult<Ok> try_fresh_inputs();
  DeviceResult<Ok> place_decoys(const BoundLaunch& bound);

  Backend& backend_;
  GuardedMemory memory_;
  SizePlan plan_;
  Answers answers_;
  Constants constants_;
  std::vector<Slot> slots_;  // as plan_.arguments
  Seals seals_;              // of pristine copies, as they are in the first set of inputs
  std::vector<std::string> warnings_;
  // By key, of the first set: the largest right number of each check. Where there are other sets
  // that change them.
  std::map<std::uint32_t, std::vector<double>> usual_sizes_;
  bool inputs_untouched_ = false;
  InputSet set_;                        // of inputs
  std::vector<std::uint64_t> entered_;  // BoundLaunch::bytes of the variant that was entered last
};

}  // namespace tuner
