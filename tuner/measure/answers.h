#pragma once
// Right answers on the device: the reference's outputs, for a set of inputs and for one value of
// the parameters that they depend on. Each is computed once and kept, as long as there is memory,
// and is readable only while it is compared.

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/decoy.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/input_sets.h"
#include "tuner/measure/protection.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// A right answer. The first two lists are as SizePlan::arguments.
struct RightAnswer {
  InputSet set{};
  std::uint32_t key = 0;
  std::vector<DeviceBuffer> expected;  // guarded, masked; none for what the reference leaves
  std::uint64_t mask = drawn_secret();
  std::vector<std::optional<Fill>> decoys;  // empty: not chosen yet
  std::vector<CheckPlan> checks;            // of the plan, with the tolerances that shares come to
  // By check of SizePlan::checks: how much larger its numbers are than usual; empty: as usual.
  std::vector<double> sizes;
  // By check of SizePlan::checks: how many of its numbers are NaN where NaN may be right, else 0.
  std::vector<std::uint64_t> nans{};
  Seals seals{};
};

// How one output differs from what is expected, in words; empty when it does not.
struct OutputCheck {
  std::string message;
  double max_error = 0;
  Evidence evidence = Evidence::kNone;  // of a wrong one
};

// Buffers and constants that the reference is launched on.
struct ReferenceInputs {
  std::vector<BufferId> data;      // as SizePlan::arguments
  std::vector<BufferId> pristine;  // of inout: what a launch begins with
  InputSet set{};
  const std::vector<std::vector<std::byte>>* constants = nullptr;  // as SizePlan::constants
};

class Answers {
 public:
  // All outlive this; `problem` may be null where the plan leaves nothing to one.
  Answers(Backend& backend, const SizePlan& plan, Problem* problem)
      : backend_(backend),
        memory_(backend.memory(), problem),
        masking_(backend.memory()),
        plan_(plan),
        problem_(problem) {}

  // The answer with this key for these inputs, computed where it is not known. Stays where it is
  // until this is called with another key or set.
  DeviceResult<RightAnswer*> find(std::uint32_t key, const ReferenceInputs& inputs);
  // Chooses decoys for the outputs; `room` has a buffer for each argument to try things in.
  DeviceResult<Ok> choose_decoys(RightAnswer& answer, const std::vector<BufferId>& room);
  // Compares the output that check number `check` of the plan is about with `actual`, a guarded
  // buffer: by its tolerance, or by the problem's judgement. An output that cannot be judged is
  // wrong, and a wrong output is destroyed. For secret sets of inputs (all but the first) the
  // message does not say how it is wrong: a kernel may have written down its inputs there.
  DeviceResult<OutputCheck> compare(const RightAnswer& answer, std::size_t check, BufferId actual);
  // Returns the largest number of each output, by check of SizePlan::checks.
  DeviceResult<std::vector<double>> sizes(const RightAnswer& answer,
                                          const std::vector<BufferId>& room);
  // Describes, for people, what is suspicious about an answer.
  DeviceResult<std::vector<std::string>> doubts(const RightAnswer& answer,
                                                const std::vector<BufferId>& room);
  // Whether the reference answers otherwise on inputs that are not those of the first set any more;
  // true where it does not answer. Nothing of it is kept.
  DeviceResult<bool> is_changed_by(ReferenceInputs inputs);
  // Gives back the memory of answers for all sets of inputs but the first.
  void forget_other_sets();
  // Which of them no longer holds what it did, in words, or nothing.
  DeviceResult<std::optional<std::string>> damaged() const;
  std::uint64_t kept_bytes() const;
  // Gives back all memory; false when there was nothing to give.
  bool forget();
  // The constant that does not fit the reference's symbol, or empty.
  const std::string& wrong_constant() const { return wrong_constant_; }
  // The median time of the reference, milliseconds; 0 where it was not timed.
  double reference_ms() const { return reference_ms_; }
  // Returns how long an answer takes to compute, with all that is around it: the shortest so far,
  // since loading a kernel or a busy host makes single ones longer. 0: none was computed.
  double seconds() const { return seconds_; }

 private:
  // Runs `work` while the answer for this argument is readable, and returns its result.
  template <typename Work>
  auto readable(const RightAnswer& answer, std::uint32_t argument, const Work& work)
      -> decltype(work());
  DeviceResult<Ok> turn(const RightAnswer& answer, std::uint32_t argument);
  DeviceResult<Ok> hide(const AnswerPlan& plan, RightAnswer& answer);
  DeviceResult<RightAnswer> compute(const AnswerPlan& plan, const ReferenceInputs& inputs);
  DeviceResult<Ok> begin(const AnswerPlan& plan, const ReferenceInputs& inputs,
                         RightAnswer& answer);
  DeviceResult<Ok> launch(const AnswerPlan& plan, const ReferenceInputs& inputs,
                          const RightAnswer& answer);
  bool is_timed_like_variants() const;
  std::optional<TimingRequest> timing_of(const AnswerPlan& plan, const ReferenceInputs& inputs,
                                         const RightAnswer& answer) const;
  DeviceResult<Ok> launch_and_time(const LaunchSequence& launch, const AnswerPlan& plan,
                                   const ReferenceInputs& inputs, const RightAnswer& answer);
  DeviceResult<std::vector<ProblemArray>> problem_inputs(const AnswerPlan& plan,
                                                         const ReferenceInputs& inputs);
  DeviceResult<Ok> ask_problem(const AnswerPlan& plan, const ReferenceInputs& inputs,
                               const RightAnswer& answer);
  DeviceResult<HostJudgement> judge(const RightAnswer& answer, const CheckPlan& check,
                                    BufferId actual);
  DeviceResult<ProblemArray> fetched(std::uint32_t argument, BufferId buffer);
  DeviceResult<Ok> check(const AnswerPlan& plan, RightAnswer& answer);
  DeviceResult<std::vector<CheckPlan>> checks_of(const RightAnswer& answer);
  DeviceResult<Ok> check_itself(std::size_t index, RightAnswer& answer);
  DeviceResult<Ok> check_numbers(const ArgumentPlan& argument, BufferId id);
  DeviceResult<OutputCheck> compare_readable(const RightAnswer& answer, std::size_t check,
                                             BufferId actual);
  DeviceResult<OutputCheck> compare_numbers(const ArgumentPlan& argument, const CheckPlan& applied,
                                            BufferId expected, BufferId actual);
  DeviceResult<OutputCheck> compare_structs(const ArgumentPlan& argument, const CheckPlan& applied,
                                            BufferId expected, BufferId actual);
  DeviceResult<Ok> wipe_members(const std::vector<MemberArray>& members);
  DeviceResult<std::vector<std::string>> doubts_about_members(const ArgumentPlan& structs,
                                                              const CheckPlan& check,
                                                              const tuner::Answer& output,
                                                              const std::string& values);
  DeviceResult<Ok> set_constants(KernelId kernel, const Artifact& artifact,
                                 const ReferenceInputs& inputs);

  Backend& backend_;
  GuardedMemory memory_;
  Masking masking_;
  const SizePlan& plan_;
  Problem* problem_;
  std::list<RightAnswer> known_;
  std::string wrong_constant_;
  double reference_ms_ = 0;
  double seconds_ = 0;
};

}  // namespace tuner
