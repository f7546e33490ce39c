// Launches again and again, in other orders and on other inputs, and looks at the outputs each
// time.

#include "tuner/measure/repeated_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
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
#include "tuner/model/plan.h"
#include "tuner/model/statistics.h"
#include "tuner/ports/backend.h"

namespace tuner {
namespace {

// Copies of outputs, to see whether another launch leaves the same bits.
class KeptOutputs {
 public:
  // Both outlive this.
  KeptOutputs(DeviceMemory& memory, const SizePlan& plan)
      : memory_(memory), masking_(memory), plan_(plan) {}
  // Keeps what these guarded buffers, one for each argument, hold now of outputs.
  DeviceResult<Ok> keep(const std::vector<BufferId>& buffers);
  // The name of an output that holds other bits now, or nothing.
  DeviceResult<std::optional<std::string>> changed(const std::vector<BufferId>& buffers);

 private:
  DeviceResult<Ok> turn(std::size_t i) {
    return masking_.turn(kept_[i].id(), bytes_of(plan_.arguments[i]), mask_ + i);
  }

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

DeviceResult<std::optional<std::string>> KeptOutputs::changed(
    const std::vector<BufferId>& buffers) {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i]) continue;
    const ArgumentPlan& argument = plan_.arguments[i];
    TUNER_TRY(turn(i));
    auto same = TUNER_TRY(memory_.same_contents(buffers[i], kept_[i].id(), bytes_of(argument)));
    TUNER_TRY(turn(i));
    if (!same) return std::optional(argument.name);
  }
  return std::optional<std::string>();
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

std::optional<Verdict> wrong_in_some_launch(Session& session, Admitted& admitted) {
  constexpr int kMost = 16;
  constexpr double kLongest = 0.05;  // seconds
  const Stopwatch since;
  for (int i = admitted.compared; i < kMost && since.seconds() < kLongest; ++i) {
    session.announce(Phase::kVerify);
    auto wrong = session.launch_and_check(admitted);
    if (!wrong) continue;
    if (wrong->state == TrialState::kCorrectness) {
      wrong->message = fmt::format("{}: {}", kRightInSome, wrong->message);
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
    wrong->message = fmt::format("{}: {}", kRightInOneOrder, wrong->message);
    return wrong;
  }
  return std::nullopt;
}

// Neither says anything of a variant: a reference without an answer, and no memory.
bool says_nothing(const DeviceFailure& failure) {
  return failure.error == DeviceError::kInvalid || failure.error == DeviceError::kOutOfMemory;
}

// The time below which a quarter of the times lies.
double lower_quartile(std::vector<double> times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, at);
  return *at;
}

// Honest code gains, too, from inputs that it has seen: a processor learns the branches of a sort
// of the same numbers. With the caches flushed in between it gains three to four times
// (benchmarks/trust/sort.cpp); what copies an answer gains more.
constexpr double kGain = 6;

// `ms`: how long the launch took, where that is to be known.
std::optional<WrongElsewhere> wrong_on_set(Session& session, const std::vector<Timed>& timed,
                                           std::uint32_t set, double* ms = nullptr) {
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
    auto wrong = session.verify_on_other_inputs(*timed[i].admitted, ms);
    if (!wrong) continue;
    if (wrong->state == TrialState::kCorrectness) {
      wrong->message = fmt::format("right for one set of inputs, wrong for {}: {}",
                                   name_of_set(session.buffers().plan(), set), wrong->message);
    }
    return WrongElsewhere{i, std::move(*wrong)};
  }
  return std::nullopt;
}

// Milliseconds of a launch on a set that was never there, whose answer is right; 0 where nobody can
// say. Whatever disturbs a launch makes it longer, so the first that is not longer than `enough`
// says all; else the shortest of some.
Expected<double, Verdict> time_on_unseen_inputs(Session& session, const Timed& one, double enough,
                                                std::uint32_t& set) {
  constexpr int kMost = 6;
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMost && shortest > enough; ++i) {
    double ms = 0;
    auto wrong = wrong_on_set(session, {one}, set, &ms);
    if (wrong) return Unexpected{std::move(wrong->verdict)};
    shortest = std::min(shortest, ms);
    set = next_fresh_set(set);
  }
  return shortest;
}

// With cold caches, where each sample is one launch, and the inputs are always the same.
bool may_know_inputs(const SizePlan& plan) {
  const bool is_cold = plan.measure.cache == CacheState::kCold;
  return is_cold && plan.measure.inputs != TimedInputs::kFresh && random_sets(plan) > 1;
}

// As many samples as there were, on the usual inputs, all of them right.
std::optional<Verdict> time_again(Session& session, Admitted& admitted, Timing& timing) {
  session.announce(Phase::kInputs);
  auto done = session.buffers().use_inputs(0);
  if (done) done = session.buffers().set_constants(admitted.bound);
  if (!done) return verdict_of(done.error());
  session.announce(Phase::kEstimate);
  std::vector<double> again;
  while (again.size() < timing.samples.size()) {
    if (auto wrong = session.sample(admitted, 1, again)) return wrong;
  }
  timing = summarise(std::move(again), session.buffers().plan().measure.confidence);
  return std::nullopt;
}

// Samples that are six times as short as launches on unseen inputs do not count: new ones take
// their place. When it comes to that four times in turn the inputs are at fault, and not the
// machine.
std::optional<Verdict> wrong_or_slow_on_unseen_inputs(Session& session, const Timed& one,
                                                      Timing& timing) {
  constexpr int kTurns = 4;
  double times_as_long = 0;
  std::uint32_t set = 1;
  for (int turn = 0; turn < kTurns; ++turn) {
    const double enough = kGain * lower_quartile(timing.samples);
    const auto unseen = time_on_unseen_inputs(session, one, enough, set);
    if (!unseen) return unseen.error();
    if (*unseen <= enough) return std::nullopt;
    if (auto wrong = time_again(session, *one.admitted, timing)) return wrong;
    times_as_long = *unseen / lower_quartile(timing.samples);
    if (times_as_long <= kGain) return std::nullopt;
  }
  return verdict_of(
      TrialState::kCorrectness,
      fmt::format("takes {:.1f} times as long on inputs that it has not seen", times_as_long));
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
    if (!*changed) continue;
    Verdict verdict =
        verdict_of(TrialState::kCorrectness,
                   "leaves other bits in " + **changed +
                       " when launched again on the same inputs (verify: deterministic)");
    verdict.deterministic = false;
    return verdict;
  }
  Verdict same;
  same.deterministic = true;
  return same;
}

std::optional<WrongElsewhere> wrong_elsewhere(Session& session, const std::vector<Timed>& timed,
                                              Timing* timing) {
  const std::uint32_t sets = timed.empty() ? 1 : input_sets(session.buffers().plan());
  std::optional<WrongElsewhere> found;
  std::uint32_t first = 1;
  if (timing != nullptr && may_know_inputs(session.buffers().plan())) {
    auto wrong = wrong_or_slow_on_unseen_inputs(session, timed.front(), *timing);
    if (wrong) found = WrongElsewhere{0, std::move(*wrong)};
    ++first;
  }
  for (std::uint32_t set = first; set < sets && !found; ++set) {
    found = wrong_on_set(session, timed, set);
  }
  if (sets <= 1 || (found && found->verdict.context_dead)) return found;
  session.announce(Phase::kInputs);
  auto back = session.buffers().use_inputs(0);
  // It worked before, so the device is at fault.
  if (!back && !found) found = WrongElsewhere{0, verdict_of(back.error())};
  return found;
}

}  // namespace tuner
