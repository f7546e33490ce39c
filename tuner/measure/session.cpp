// Admits, verifies, probes and measures one variant.
//
// The steps are in the order of what they cost, so that a variant that is not worth it is left
// early:
//
//   admit     limits that the device is known to have (nothing is launched), loading, limits that
//             only the loaded kernel tells, one launch, its answer, the guard words and what it
//             left in workspaces; one more on that;
//   probe     a warm-up and three samples: clearly slower than the best is `dropped`;
//   estimate  samples until the median is known well enough; of some of them, which are drawn, and
//             of all of what may become the best, the answer;
//   check     the answer of the last timed launch; launches on decoys and on poison; inputs.
//
// Checking comes last as well as first, because timing is what may break a variant: it is launched
// many times, on what earlier launches have left.

#include "tuner/measure/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "tuner/base/stopwatch.h"
#include "tuner/model/limits.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/argument_names.h"

namespace tuner {
namespace {

constexpr std::uint32_t kBlock = 5;  // samples between two looks at the interval
// Times the limit of a probe. A warm-up that is so slow needs no probe: a first launch may be
// slower than the next ones, but not by so much.
constexpr double kHopeless = 2;
// Merges resources: figures of the device count, and those of the compiler fill the gaps.
Resources merged(Resources loaded, const Resources& compiled) {
  const auto fill_in = [](std::int64_t& value, std::int64_t other) {
    if (value < 0) value = other;
  };
  fill_in(loaded.registers, compiled.registers);
  fill_in(loaded.static_shared_bytes, compiled.static_shared_bytes);
  fill_in(loaded.constant_bytes, compiled.constant_bytes);
  fill_in(loaded.local_bytes, compiled.local_bytes);
  fill_in(loaded.spill_bytes, compiled.spill_bytes);
  fill_in(loaded.max_threads, compiled.max_threads);
  return loaded;
}

std::optional<Verdict> failed(const DeviceResult<Ok>& done) {
  return done ? std::nullopt : std::optional(verdict_of(done.error()));
}

}  // namespace

Expected<Admitted, Verdict> Session::admit(const VariantPlan& variant) {
  announce(Phase::kLoad);
  const DeviceFacts& device = backend_.facts();
  // Another one may have been timed on fresh inputs just before.
  if (auto done = buffers_.use_inputs(0); !done) return Unexpected{verdict_of(done.error())};
  if (auto reason = over_limits(variant, device)) {
    return Unexpected{verdict_of(TrialState::kConstraints, *reason)};
  }
  auto kernel = backend_.load(variant.artifact);
  if (!kernel) return Unexpected{verdict_of(kernel.error())};
  // Registers and shared memory are known now. To launch a kernel that needs too much would say
  // only "invalid argument".
  std::vector<Resources> kernels = kernels_of(variant.artifact);
  kernels.front() = merged(kernel->resources, kernels.front());
  for (std::size_t i = 0; i < kernel->then.size(); ++i) {
    kernels[i + 1] = merged(kernel->then[i].resources, kernels[i + 1]);
  }
  const Resources resources = kernels.front();
  Admitted admitted{Loaded(backend_, *kernel), buffers_.bind(variant, *kernel), resources, -1,
                    buffers_.inputs_untouched()};
  std::optional<Verdict> wrong;
  if (auto reason = over_limits(variant, kernels, device)) {
    wrong = verdict_of(TrialState::kConstraints, *reason);
  } else {
    wrong = failed(buffers_.set_constants(admitted.bound));
  }
  if (!wrong) {
    announce(Phase::kVerify);
    wrong = verify(admitted);
  }
  if (!wrong) return admitted;
  wrong->resources = resources;
  wrong->max_error = admitted.max_error;
  return Unexpected{std::move(*wrong)};
}

std::optional<Verdict> Session::launch_and_check(Admitted& admitted) {
  if (auto failed = launch_on(admitted, Outputs::kPoisoned)) return failed;
  return recheck(admitted);
}

std::optional<Verdict> Session::launch_on(const Admitted& admitted, Outputs outputs) {
  if (auto done = buffers_.reset(admitted.bound, outputs); !done) return verdict_of(done.error());
  auto launched = backend_.launch(admitted.bound.sequence);
  if (launched) return std::nullopt;
  std::vector<std::string> names;  // of a launch that others follow nobody knows which it was
  for (const ArgumentPlan& one : buffers_.plan().arguments) names.push_back(one.name);
  const bool is_one = admitted.bound.sequence.size() == 1;
  return verdict_of(is_one ? with_names(launched.error(), names) : launched.error());
}

// Compares the outputs with the reference's. The error that is kept is the largest of all checks.
std::optional<Verdict> Session::check_answers(Admitted& admitted) {
  auto outputs = buffers_.check_outputs(admitted.bound);
  if (!outputs) return verdict_of(outputs.error());
  if (!buffers_.plan().checks.empty()) {
    admitted.max_error = std::max(admitted.max_error, outputs->max_error);
  }
  if (outputs->message.empty()) return std::nullopt;
  Verdict wrong = verdict_of(TrialState::kCorrectness, outputs->message);
  wrong.evidence = outputs->evidence;
  return wrong;
}

// Checks what the last launch left. A write outside of a buffer is the better message, because a
// wrong answer may follow from it. But a device that fails is reported as that.
std::optional<Verdict> Session::recheck(Admitted& admitted) {
  auto broken = check_guards();
  if (broken && broken->state != TrialState::kCorrectness) return broken;
  auto wrong = check_answers(admitted);
  if (broken && (!wrong || wrong->state == TrialState::kCorrectness)) return broken;
  return wrong ? wrong : check_workspaces(admitted);
}

// Checks the guard words. The message hides positions when inputs are secret: a kernel could report
// its inputs through them.
std::optional<Verdict> Session::check_guards() {
  auto broken = buffers_.broken_guard();
  if (!broken) return verdict_of(broken.error());
  if (!*broken) return std::nullopt;
  if (buffers_.inputs_are_secret()) *broken = (*broken)->substr(0, (*broken)->find(':'));
  return verdict_of(TrialState::kCorrectness, **broken);
}

std::optional<Verdict> Session::check_workspaces(const Admitted& admitted) {
  auto left = buffers_.left_behind(admitted.bound);
  if (!left) return verdict_of(left.error());
  if (!*left) return std::nullopt;
  if (buffers_.inputs_are_secret()) {
    *left = "leaves a workspace that must be zero after each launch with something else";
  }
  return verdict_of(TrialState::kCorrectness, **left);
}

// A launch that skips work, because it finds an answer in place or has counted the launches before
// it, leaves the decoys as they are. What skips only the elements that are right already is seen on
// poison, which is never right: there each launch begins that is timed with cold caches.
std::optional<Verdict> Session::verify_again(Admitted& admitted) {
  announce(Phase::kVerify);
  std::optional<Verdict> wrong;
  if (buffers_.has_decoys()) {
    wrong = launch_on(admitted, Outputs::kDecoys);
    if (!wrong) wrong = recheck(admitted);
  }
  if (!wrong && (!buffers_.has_decoys() || measuring().cache != CacheState::kCold)) {
    wrong = launch_and_check(admitted);
  }
  if (wrong && wrong->state == TrialState::kCorrectness) {
    wrong->message =
        "right at first, wrong when launched again after the timing: " + wrong->message;
  }
  return wrong;
}

// Inputs are shared by all variants: one that writes into them spoils the answers of the next ones.
// They are compared with what they were filled with, and filled anew when they differ.
std::optional<Verdict> Session::check_inputs(Admitted& admitted) {
  if (!buffers_.inputs_are_small()) announce(Phase::kInputs);
  const auto repaired = [this] { return buffers_.repair_inputs(); };
  const auto failure = [](const DeviceFailure& error) -> std::optional<Verdict> {
    // No room for a second copy is not the variant's fault.
    if (error.error == DeviceError::kOutOfMemory) return std::nullopt;
    return verdict_of(error);
  };
  auto changed = repaired();
  if (!changed) return failure(changed.error());
  if (!*changed) return std::nullopt;
  if (!admitted.inputs_untouched) {
    // An earlier variant may have done it: this one is guilty only if it does so again.
    if (auto failed = launch_on(admitted, Outputs::kPoisoned)) return failed;
    changed = repaired();
    if (!changed) return failure(changed.error());
    if (!*changed) return std::nullopt;
  }
  return verdict_of(TrialState::kCorrectness, "changes its input " + **changed);
}

std::optional<Verdict> Session::verify_finalist(Admitted& admitted) {
  admitted.inputs_untouched = buffers_.inputs_untouched();
  if (auto wrong = verify_again(admitted)) return wrong;
  return check_inputs(admitted);
}

std::optional<Verdict> Session::verify_on_other_inputs(Admitted& admitted) {
  announce(Phase::kVerify);
  if (auto wrong = failed(buffers_.set_constants(admitted.bound))) return wrong;
  return launch_and_check(admitted);
}

// Launches on both twice: a kernel that is right now and then does not count on zeros.
DeviceResult<bool> Session::counts_on_zeros(const Admitted& admitted, Role role) {
  for (const bool zeros : {true, false, false, true}) {
    TUNER_TRY(buffers_.renew_workspaces(admitted.bound));
    TUNER_TRY(buffers_.reset(admitted.bound, Outputs::kPoisoned));
    if (zeros && !TUNER_TRY(buffers_.zero(admitted.bound, role))) return false;
    TUNER_TRY(backend_.launch(admitted.bound.sequence));
    const auto broken = TUNER_TRY(buffers_.broken_guard());
    const auto outputs = TUNER_TRY(buffers_.check_outputs(admitted.bound));
    if ((!broken && outputs.message.empty()) != zeros) return false;
  }
  return true;
}

std::optional<Verdict> Session::with_cause(const Admitted& admitted, Verdict wrong) {
  const bool may_be_poison = wrong.evidence == Evidence::kNan ||
                             wrong.evidence == Evidence::kUnwritten ||
                             wrong.evidence == Evidence::kEverywhere;
  if (!may_be_poison || buffers_.inputs_are_secret()) return wrong;
  struct Cause {
    Role role;
    Evidence evidence;
    const char* text;
  };
  for (const Cause& one : {Cause{Role::kOut, Evidence::kAdds,
                                 "; right where outputs start as zeros (role: inout, fill: zeros)"},
                           Cause{Role::kWorkspace, Evidence::kDirty,
                                 "; right where workspaces are zeroed before it (zero: each)"}}) {
    const auto counts = counts_on_zeros(admitted, one.role);
    if (!counts) return verdict_of(counts.error());
    if (!*counts) continue;
    wrong.message += one.text;
    wrong.evidence = one.evidence;
    break;
  }
  return wrong;
}

// On workspaces as they are when they are made, and on what that launch has left in them.
std::optional<Verdict> Session::first_launches(Admitted& admitted) {
  if (auto done = buffers_.renew_workspaces(admitted.bound); !done) {
    return verdict_of(done.error());
  }
  auto wrong = launch_and_check(admitted);
  if (wrong && wrong->state == TrialState::kCorrectness) return with_cause(admitted, *wrong);
  const auto& workspaces = admitted.bound.workspaces;
  const auto keeps = [](const WorkspaceArgument& one) { return keeps_zeros(*one.argument); };
  if (wrong || std::none_of(workspaces.begin(), workspaces.end(), keeps)) return wrong;
  wrong = launch_and_check(admitted);
  if (wrong && wrong->state == TrialState::kCorrectness) {
    wrong->message = "right at first, wrong on the workspace that it left: " + wrong->message;
  }
  return wrong;
}

// A wrong answer may be an earlier variant's fault, which wrote into an input. Then the input is
// filled anew and the variant is launched once more. If the input has changed again, the variant
// does it itself, and the message says so.
std::optional<Verdict> Session::verify(Admitted& admitted) {
  auto wrong = first_launches(admitted);
  if (!wrong || wrong->state != TrialState::kCorrectness) return wrong;
  auto changed = buffers_.repair_inputs();
  if (!changed) {
    return changed.error().error == DeviceError::kOutOfMemory ? wrong : verdict_of(changed.error());
  }
  if (!*changed) return wrong;
  admitted.max_error = -1;
  admitted.inputs_untouched = true;
  wrong = first_launches(admitted);
  if (!wrong || wrong->state != TrialState::kCorrectness) return wrong;
  changed = buffers_.repair_inputs();
  if (!changed) return verdict_of(changed.error());
  if (*changed) wrong->message = fmt::format("changes its input {}; {}", **changed, wrong->message);
  return wrong;
}

std::optional<Verdict> Session::check_timed(Admitted& admitted) {
  auto wrong = check_answers(admitted);
  if (wrong) {
    wrong->message += ", after repeated launches";
  } else {
    ++admitted.compared;
  }
  return wrong;
}

// Nothing that a kernel sees depends on whether it is looked at. The first of several samples is
// not drawn, since a longer pause lies before it.
std::optional<Verdict> Session::sample(Admitted& admitted, std::uint32_t count,
                                       std::vector<double>& samples) {
  const auto take = [&](std::uint32_t some) -> std::optional<Verdict> {
    const auto taken = sampler_.time(admitted.bound, some, admitted.launches);
    if (!taken) return verdict_of(taken.error());
    samples.insert(samples.end(), taken->begin(), taken->end());
    return std::nullopt;
  };
  if (admitted.inputs == SampleInputs::kDrawn) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto all = static_cast<std::size_t>(std::max(measuring().min_samples, 1));
      const std::size_t left = std::max<std::size_t>(all, samples.size() + 1) - samples.size();
      if (auto wrong = sample_on_drawn_inputs(admitted, left, samples)) return wrong;
    }
    return std::nullopt;
  }
  const std::uint32_t at = count < 2 ? count : 2 + sampler_.drawn(count - 1);
  auto wrong = take(at);
  if (!wrong) wrong = check_timed(admitted);
  if (wrong || at == count) return wrong;
  return take(count - at);
}

std::optional<Verdict> Session::sample_on_drawn_inputs(Admitted& admitted, std::size_t left,
                                                       std::vector<double>& samples) {
  const Stopwatch since;
  const Phase phase = current_;
  if (!buffers_.inputs_are_small()) announce(Phase::kInputs);
  const auto taken = sampler_.time(admitted.bound, 1, admitted.launches, SampleInputs::kDrawn);
  if (!taken) return verdict_of(taken.error());
  if (current_ != phase) announce(phase);
  samples.push_back(taken->front());
  admitted.looks.timed_seconds += since.seconds();
  return is_look_due(admitted.looks, left) ? look(admitted) : std::nullopt;
}

// The fewest are a uniform choice among the samples that are left (selection sampling: Knuth, The
// Art of Computer Programming, 3.4.2, algorithm S); beyond them every fourth is looked at.
bool Session::is_look_due(const Looks& looks, std::size_t left) {
  constexpr std::uint32_t kFine = 1U << 20;
  constexpr double kShare = 0.25;      // of the samples
  constexpr double kTimeShare = 0.05;  // of what they take
  if (buffers_.plan().checks.empty()) return false;
  const double missing = std::max(0, looks.fewest - looks.taken);
  const bool is_cheap =
      looks.seconds + buffers_.answer_seconds() <= kTimeShare * looks.timed_seconds;
  const double chance = std::max(missing / static_cast<double>(left), is_cheap ? kShare : 0);
  return sampler_.drawn(kFine) < chance * kFine;
}

// The reference answers for inputs as they were drawn, whatever the launch has made of them. Where
// it has no answer, nothing is to be said of the launch.
std::optional<Verdict> Session::look(Admitted& admitted) {
  const Stopwatch since;
  const Phase phase = current_;
  announce(Phase::kInputs);
  auto ready = buffers_.restore_drawn_inputs();
  if (ready) ready = buffers_.compute_answer(admitted.bound.answer);
  announce(phase);
  if (!ready && says_nothing(ready.error())) return std::nullopt;
  if (!ready) return verdict_of(ready.error());
  auto wrong = check_answers(admitted);
  if (wrong) wrong = wrong_when_looked_at(admitted, std::move(*wrong));
  ++admitted.compared;
  ++admitted.looks.taken;
  admitted.looks.seconds += since.seconds();
  return wrong;
}

// Launched once more on these inputs, it is either wrong for them or only while it is timed.
Verdict Session::wrong_when_looked_at(Admitted& admitted, Verdict wrong) {
  const bool is_right = !verify_on_other_inputs(admitted);
  wrong.message = is_right ? "right when it is checked, wrong when it is timed: " + wrong.message
                           : wrong_on_set(buffers_.plan(), kTimedSet, wrong.message);
  return wrong;
}

std::optional<Verdict> Session::look_enough(Admitted& admitted) {
  if (admitted.inputs != SampleInputs::kDrawn || buffers_.plan().checks.empty()) {
    return std::nullopt;
  }
  std::vector<double> do_not_count;
  const int missing = admitted.looks.fewest - admitted.looks.taken;
  if (missing <= 0) return std::nullopt;
  for (int i = 0; i < missing; ++i) {
    if (auto wrong = sample_on_drawn_inputs(admitted, 1, do_not_count)) return wrong;
  }
  if (admitted.looks.taken > 0) return std::nullopt;
  // The reference has no answer for any of them: what is left are the study's own inputs.
  admitted.inputs = SampleInputs::kPresent;
  auto wrong = back_to_usual_inputs(admitted);
  for (int i = 0; i < admitted.looks.fewest && !wrong; ++i) {
    wrong = sample(admitted, 1, do_not_count);
  }
  return wrong;
}

// Takes a warm-up and three samples; returns a verdict when that is enough to give the variant up.
std::optional<Verdict> Session::probe(const VariantPlan& variant, Admitted& admitted,
                                      std::vector<double>& samples) {
  announce(Phase::kProbe);
  const double limit = drop_limit(measuring(), variant.best_ms);
  auto warm_up = sampler_.time(admitted.bound, 1, 1);
  if (!warm_up) return verdict_of(warm_up.error());
  const bool may_win = variant.best_ms == 0 || warm_up->front() < variant.best_ms;
  const bool is_fresh = measuring().inputs == TimedInputs::kFresh;
  if (may_win || is_fresh) admitted.inputs = inputs_of_the_best();
  admitted.looks.fewest = is_fresh || !is_answer_slow() ? 1 : 0;
  const auto chosen = sampler_.choose_launches(admitted.bound, warm_up->front(), admitted.inputs);
  if (!chosen) return verdict_of(chosen.error());
  admitted.launches = *chosen;
  if (warm_up->front() > kHopeless * limit) {
    samples = *warm_up;
  } else {
    if (auto wrong = sample(admitted, kProbeSamples, samples)) return wrong;
    if (*std::min_element(samples.begin(), samples.end()) <= limit) return std::nullopt;
  }
  return verdict_of(TrialState::kDropped, fmt::format("slower than {:g} times the best, {:g} ms",
                                                      measuring().drop_above, variant.best_ms));
}

// Samples in blocks until the interval of the median is tight, clearly out of the best's reach, or
// a limit of number or time is met (enough_samples()). A variant becomes the best by samples on
// drawn inputs only: one that proves faster than it on the usual ones, where samples are cheaper,
// begins anew. Where inputs cannot be drawn, each answer of what may become the best is compared.
std::optional<Verdict> Session::estimate(Admitted& admitted, double best_ms,
                                         std::vector<double>& samples) {
  announce(Phase::kEstimate);
  const MeasureSpec& spec = measuring();
  while (true) {
    const bool may_win = best_ms == 0 || median(samples) < best_ms;
    if (may_win && !is_answer_slow()) admitted.looks.fewest = kFewestLooks;
    const double spent = std::accumulate(samples.begin(), samples.end(), 0.0) * admitted.launches;
    const Timing timing = summarise(samples, spec.confidence);
    const bool is_enough = enough_samples(timing, spec, spent, best_ms);
    const bool begins_anew = may_win && admitted.inputs != inputs_of_the_best();
    if (is_enough && !begins_anew) return std::nullopt;
    if (begins_anew && (is_enough || timing.ci_high < best_ms)) {
      if (auto wrong = begin_on_drawn_inputs(admitted, timing.median, samples)) return wrong;
      continue;
    }
    const auto n = static_cast<double>(samples.size());
    double wanted = n < spec.min_samples ? spec.min_samples - n : double{kBlock};
    wanted = std::min(wanted, spec.max_samples - n);
    // Take no more than fit into the remaining time, so that a block of slow samples stays within
    // it.
    const double each = timing.median * admitted.launches;
    if (each > 0) wanted = std::min(wanted, std::ceil((spec.max_milliseconds - spent) / each));
    if (may_win && !begins_anew && admitted.inputs == SampleInputs::kPresent) wanted = 1;
    const auto count = static_cast<std::uint32_t>(std::max(1.0, wanted));
    if (auto wrong = sample(admitted, count, samples)) return wrong;
  }
}

std::optional<Verdict> Session::begin_on_drawn_inputs(Admitted& admitted, double one_ms,
                                                      std::vector<double>& samples) {
  admitted.inputs = SampleInputs::kDrawn;
  const auto chosen = sampler_.choose_launches(admitted.bound, one_ms, admitted.inputs);
  if (!chosen) return verdict_of(chosen.error());
  admitted.launches = *chosen;
  samples.clear();
  return sample(admitted, 1, samples);
}

// Only variants that survived the race: it takes about a second.
std::optional<Verdict> Session::measure_power(const Admitted& admitted, double& watts) {
  announce(Phase::kPower);
  auto power = backend_.power(admitted.bound.sequence);
  if (!power) return verdict_of(power.error());
  watts = *power;
  return std::nullopt;
}

std::optional<Verdict> Session::back_to_usual_inputs(const Admitted& admitted) {
  if (auto done = buffers_.use_inputs(0); !done) return verdict_of(done.error());
  return failed(buffers_.set_constants(admitted.bound));
}

// A race that is lost once in a hundred launches shows here if anywhere. Guard words keep what was
// done to them until they are looked at.
std::optional<Verdict> Session::check_last_samples(Admitted& admitted, bool dropped) {
  if (admitted.inputs == SampleInputs::kPresent) {
    auto wrong =
        dropped || buffers_.plan().checks.empty() ? recheck(admitted) : check_answers(admitted);
    if (!wrong) wrong = check_workspaces(admitted);
    if (wrong) wrong->message += ", after repeated launches";
    return wrong;
  }
  if (auto wrong = look_enough(admitted)) return wrong;
  auto wrong = check_guards();
  if (!wrong) wrong = check_workspaces(admitted);
  if (!wrong) return back_to_usual_inputs(admitted);
  wrong->message += ", timed on drawn inputs";
  return wrong;
}

std::optional<Verdict> Session::check_measured(Admitted& admitted, bool dropped, bool is_best) {
  if (auto wrong = check_last_samples(admitted, dropped)) return wrong;
  if (!dropped && !buffers_.plan().checks.empty()) {
    if (auto changed = verify_again(admitted)) return changed;
  }
  // Comparing large inputs takes as long as some launches: only for what may win.
  if (!buffers_.inputs_are_small() && !is_best) return std::nullopt;
  return check_inputs(admitted);
}

Verdict Session::measure(const VariantPlan& variant, Admitted& admitted) {
  std::vector<double> samples;
  sampler_.begin_anew();
  auto ended = probe(variant, admitted, samples);  // `dropped`, or what went wrong
  if (!ended) ended = estimate(admitted, variant.best_ms, samples);
  const Conditions conditions = sampler_.conditions();
  double watts = 0;
  if (!ended && measuring().power) ended = measure_power(admitted, watts);
  const bool dropped = ended && ended->state == TrialState::kDropped;
  // A dropped variant has a time that strategies learn from, so its answer must be right as well.
  if (!ended || dropped) {
    const bool is_best = !dropped && (variant.best_ms == 0 || median(samples) < variant.best_ms);
    if (is_best) admitted.looks.fewest = std::max(admitted.looks.fewest, 1);
    auto wrong = check_measured(admitted, dropped, is_best);
    if (wrong) ended = std::move(wrong);
  }
  Verdict verdict = ended.value_or(Verdict{});
  if (is_valid_state(verdict.state)) {
    verdict.timing = summarise(std::move(samples), measuring().confidence);
  }
  verdict.watts = watts;
  verdict.conditions = conditions;
  verdict.resources = admitted.resources;
  verdict.max_error = admitted.max_error;
  return verdict;
}

}  // namespace tuner
