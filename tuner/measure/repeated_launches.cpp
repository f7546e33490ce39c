// Launches again and again, in other orders and on other inputs, and looks at the outputs each
// time.

#include "tuner/measure/repeated_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/stopwatch.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/guarded_memory.h"
#include "tuner/measure/input_sets.h"
#include "tuner/measure/protection.h"
#include "tuner/measure/verdict.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {
namespace {

// Copies of outputs, to see whether another launch leaves the same bits.
class KeptOutputs {
 public:
  // Both outlive this.
  KeptOutputs(DeviceMemory& memory, const SizePlan& plan)
      : device_(memory), memory_(memory), masking_(memory), plan_(plan) {}
  // Keeps what these guarded buffers, one for each argument, hold now of outputs.
  DeviceResult<Ok> keep(const std::vector<BufferId>& buffers);
  // Looks for an output that holds other bits now; says which, and how far its numbers are off (0:
  // not known, as of structs).
  struct Change {
    std::string name;
    double by = 0;
  };
  DeviceResult<std::optional<Change>> changed(const std::vector<BufferId>& buffers);

 private:
  DeviceResult<Ok> turn(std::size_t i) {
    return masking_.turn(kept_[i].id(), bytes_of(plan_.arguments[i]), mask_ + i);
  }

  DeviceMemory& device_;
  GuardedMemory memory_;
  Masking masking_;
  const SizePlan& plan_;
  std::vector<DeviceBuffer> kept_;  // as plan_.arguments; masked
  std::uint64_t mask_ = drawn_secret();
};

DeviceResult<Ok> KeptOutputs::keep(const std::vector<BufferId>& buffers) {
  kept_.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar || !is_output(argument.role)) continue;
    kept_[i] = TUNER_TRY(memory_.allocate_guarded(bytes_of(argument)));
    TUNER_TRY(memory_.copy(kept_[i].id(), buffers[i], bytes_of(argument)));
    TUNER_TRY(turn(i));
  }
  return Ok{};
}

DeviceResult<std::optional<KeptOutputs::Change>> KeptOutputs::changed(
    const std::vector<BufferId>& buffers) {
  std::optional<Change> found;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i]) continue;
    const ArgumentPlan& argument = plan_.arguments[i];
    TUNER_TRY(turn(i));
    auto same = TUNER_TRY(memory_.same_contents(buffers[i], kept_[i].id(), bytes_of(argument)));
    if (!same) {
      const auto numbers =
          TUNER_TRY(device_.compare(contents_of(buffers[i]), contents_of(kept_[i].id()),
                                    argument.type, argument.elements, 0, 0));
      const double by = argument.members.empty() ? numbers.max_abs_error : 0;
      if (!found || by > found->by) found = {argument.name, by};
    }
    TUNER_TRY(turn(i));
  }
  return found;
}

// On poisoned outputs. With a seed, in another order of threads; kUnsupported where that cannot be.
DeviceResult<Ok> launch_once(Session& session, const Admitted& admitted,
                             std::optional<std::uint64_t> seed) {
  TUNER_TRY(session.buffers().reset(admitted.bound, Outputs::kPoisoned));
  return seed ? session.backend().launch_shuffled(admitted.bound.sequence, *seed)
              : session.backend().launch(admitted.bound.sequence);
}

bool is_unsupported(const DeviceResult<Ok>& done) {
  return !done && done.error().error == DeviceError::kUnsupported;
}

void say_it_was_right(const char* how, Verdict& wrong) {
  wrong.message = fmt::format("{}: {}", how, wrong.message);
  if (wrong.evidence && wrong.evidence != Evidence::kPlaces) {
    wrong.evidence = Evidence::kNowAndThen;
  }
}

std::optional<Verdict> wrong_in_some_launch(Session& session, Admitted& admitted) {
  constexpr int kMost = 16;
  constexpr double kLongest = 0.05;  // seconds
  const Stopwatch since;
  for (int i = admitted.compared; i < kMost && since.seconds() < kLongest; ++i) {
    session.announce(Phase::kVerify);
    auto wrong = session.launch_and_check(admitted);
    if (!wrong) continue;
    if (wrong->state == TrialState::kCorrectness) {
      say_it_was_right("right in some launches, wrong in another", *wrong);
    }
    return wrong;
  }
  return std::nullopt;
}

std::optional<Verdict> wrong_in_another_order(Session& session, Admitted& admitted) {
  constexpr double kSlow = 1;  // seconds: one such launch is enough
  const Stopwatch since;
  for (const std::uint64_t seed : {1U, 2U}) {
    if (since.seconds() > kSlow) return std::nullopt;
    session.announce(Phase::kVerify);
    const auto done = launch_once(session, admitted, seed);
    if (is_unsupported(done)) return std::nullopt;
    auto wrong = done ? session.recheck(admitted) : verdict_of(done.error());
    if (!wrong) continue;
    say_it_was_right("right in the usual order of threads, wrong in another", *wrong);
    return wrong;
  }
  return std::nullopt;
}

std::optional<WrongElsewhere> look_at_set(Session& session, const std::vector<Timed>& timed,
                                          std::uint32_t set) {
  session.announce(Phase::kInputs);
  if (auto done = session.buffers().use_inputs(set); !done) {
    if (says_nothing(done.error())) return std::nullopt;
    return WrongElsewhere{0, verdict_of(done.error())};
  }
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (auto done = session.buffers().compute_answer(timed[i].variant->answer); !done) {
      if (says_nothing(done.error())) continue;
      return WrongElsewhere{i, verdict_of(done.error())};
    }
    auto wrong = session.verify_on_other_inputs(*timed[i].admitted);
    if (!wrong) continue;
    if (wrong->state == TrialState::kCorrectness) {
      wrong->message = wrong_on_set(session.buffers().plan(), set, wrong->message);
    }
    return WrongElsewhere{i, std::move(*wrong)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> wrong_now_and_then(Session& session, Admitted& admitted) {
  if (session.buffers().plan().checks.empty()) return std::nullopt;
  if (auto wrong = wrong_in_some_launch(session, admitted)) return wrong;
  return wrong_in_another_order(session, admitted);
}

std::optional<Verdict> compare_bits(Session& session, const Admitted& admitted) {
  constexpr std::uint64_t kLaunches = 8;
  KeptOutputs kept(session.backend().memory(), session.buffers().plan());
  std::optional<KeptOutputs::Change> worst;
  for (std::uint64_t i = 0; i < kLaunches; ++i) {
    session.announce(Phase::kVerify);
    auto done = launch_once(session, admitted, i % 2 == 1 ? std::optional(i) : std::nullopt);
    if (is_unsupported(done)) done = launch_once(session, admitted, std::nullopt);
    if (!done) return verdict_of(done.error());
    if (i == 0) {
      // No room for copies is not the variant's fault.
      if (kept.keep(session.buffers().ids())) continue;
      return std::nullopt;
    }
    auto changed = kept.changed(session.buffers().ids());
    if (!changed) return verdict_of(changed.error());
    if (*changed && (!worst || (*changed)->by > worst->by)) worst = std::move(*changed);
  }
  Verdict verdict;
  verdict.deterministic = !worst;
  if (!worst) return verdict;
  verdict.state = TrialState::kCorrectness;
  if (worst->by > 0) verdict.max_error = worst->by;
  verdict.message = fmt::format(
      "leaves other bits in {} when launched again on the same inputs{} (verify: deterministic)",
      worst->name, worst->by > 0 ? fmt::format(", up to {:.3g} away", worst->by) : "");
  return verdict;
}

std::optional<WrongElsewhere> wrong_elsewhere(Session& session, const std::vector<Timed>& timed) {
  const SizePlan& plan = session.buffers().plan();
  const std::uint32_t sets = timed.empty() ? 1 : input_sets(plan);
  int fewest = timed.empty() ? 0 : timed.front().admitted->looks.taken;
  for (const Timed& one : timed) fewest = std::min(fewest, one.admitted->looks.taken);
  std::optional<WrongElsewhere> found;
  for (std::uint32_t set = 1; set < sets && !found; ++set) {
    // Timed launches were looked at on so many random sets.
    if (set < random_sets(plan) && static_cast<int>(set) <= fewest) continue;
    found = look_at_set(session, timed, set);
  }
  if (found && found->verdict.context_dead) return found;
  auto back = session.buffers().use_inputs(0);
  // It worked before, so the device is at fault.
  if (!back && !found) found = WrongElsewhere{0, verdict_of(back.error())};
  return found;
}

}  // namespace tuner
