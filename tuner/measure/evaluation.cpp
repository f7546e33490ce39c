// Evaluates one variant, and times finalists in turns.

#include "tuner/measure/evaluation.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/stopwatch.h"
#include "tuner/measure/repeated_launches.h"
#include "tuner/measure/verdict.h"
#include "tuner/model/statistics.h"

namespace tuner {
namespace {

// Fisher and Yates with a generator that is the same everywhere, unlike std::shuffle.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

// Milliseconds. Workspaces are looked at at once: the next one would be blamed for what it finds in
// them.
Expected<double, Verdict> sample_of(Session& session, const Admitted& finalist) {
  const auto sample = session.sampler().time(finalist.bound, 1, finalist.launches);
  if (!sample) return Unexpected{verdict_of(sample.error())};
  if (auto wrong = session.check_workspaces(finalist)) return Unexpected{std::move(*wrong)};
  return sample->front();
}

// A sample of a round, behind which `left` more may follow. Whether it is looked at is drawn.
Expected<double, Verdict> sample_of_round(Session& session, Admitted& finalist, int left) {
  std::vector<double> samples;
  const bool is_drawn = finalist.inputs == SampleInputs::kDrawn;
  if (!is_drawn && session.sampler().drawn(2) != 0) return sample_of(session, finalist);
  auto wrong = is_drawn ? session.sample_on_drawn_inputs(
                              finalist, static_cast<std::size_t>(left) + 1, samples)
                        : session.sample(finalist, 1, samples);
  if (!wrong) wrong = session.check_workspaces(finalist);
  if (wrong) return Unexpected{std::move(*wrong)};
  return samples.front();
}

std::optional<Verdict> check_finalist(Session& session, Admitted& finalist) {
  if (auto wrong = session.verify_finalist(finalist)) return wrong;
  if (auto wrong = wrong_now_and_then(session, finalist)) return wrong;
  if (!session.buffers().plan().deterministic) return std::nullopt;
  auto bits = compare_bits(session, finalist);
  return bits && bits->state != TrialState::kOk ? bits : std::nullopt;
}

// Looks at some more launches of finalists that were timed on drawn inputs: of the best at least at
// one, and at many of one that was much faster than in its search.
std::optional<FinalistFailure> check_on_drawn_inputs(Session& session,
                                                     const std::vector<VariantPlan>& variants,
                                                     const std::vector<std::vector<double>>& times,
                                                     std::vector<Admitted>& finalists) {
  constexpr double kMuchFaster = 0.67;
  constexpr int kMany = 16;
  std::vector<double> medians;
  for (const std::vector<double>& one : times) medians.push_back(median(one));
  const double best = std::ranges::min(medians);
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    session.announce(Phase::kFinal);
    int& fewest = finalists[i].looks.fewest;
    if (medians[i] == best) fewest = std::max(fewest, 1);
    if (medians[i] < kMuchFaster * variants[i].searched_ms) {
      fewest = session.is_answer_slow() ? kFewestLooks : kMany;
    }
    auto wrong = session.look_enough(finalists[i]);
    if (wrong) return FinalistFailure{i, std::move(*wrong)};
  }
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    auto wrong = session.back_to_usual_inputs(finalists[i]);
    if (wrong) return FinalistFailure{i, std::move(*wrong)};
  }
  return std::nullopt;
}

// The finalists share their buffers, so the answer that is there after the rounds is that of the
// one timed last; of the others nothing is left to look at.
std::optional<FinalistFailure> check_timed_last(Session& session, std::vector<Admitted>& finalists,
                                                std::size_t last) {
  auto wrong = session.check_timed(finalists[last]);
  if (!wrong) return std::nullopt;
  return FinalistFailure{last, std::move(*wrong)};
}

// One that failed, unless what is kept has been damaged, by one of so many that were launched.
FinalistFailure settled(FinalistFailure failure, KeptWatch& kept, std::size_t launched,
                        const Session& session) {
  if (failure.verdict.context_dead) return failure;
  if (auto damage = kept.look(launched, session)) failure.verdict = std::move(*damage);
  return failure;
}

// Looks at what is kept, or puts that off, after this finalist was launched alone.
std::optional<FinalistFailure> look_after(std::size_t finalist, KeptWatch& kept, bool looks_at_each,
                                          const Session& session) {
  if (!looks_at_each) {
    kept.put_off(1);
    return std::nullopt;
  }
  auto damage = kept.look(1, session);
  return damage ? std::optional(FinalistFailure{finalist, std::move(*damage)}) : std::nullopt;
}

// Therefore each is launched and checked again.
std::optional<FinalistFailure> check_finalists(Session& session, KeptWatch& kept,
                                               bool looks_at_each,
                                               const std::vector<VariantPlan>& variants,
                                               std::vector<Admitted>& finalists, std::size_t last) {
  session.announce(Phase::kInputs);
  // Any finalist may have damaged guard words or inputs: both are repaired here, and the one that
  // does it again is found below.
  if (auto looked = session.buffers().broken_guard(); !looked) {
    return FinalistFailure{last, verdict_of(looked.error())};
  }
  const auto inputs = session.buffers().repair_inputs();
  const bool failed = !inputs && inputs.error().error != DeviceError::kOutOfMemory;
  if (failed) return FinalistFailure{last, verdict_of(inputs.error())};
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    auto wrong = check_finalist(session, finalists[i]);
    if (wrong) return settled({i, std::move(*wrong)}, kept, 1, session);
    if (auto damage = look_after(i, kept, looks_at_each, session)) return damage;
  }
  std::vector<Timed> timed;
  for (std::size_t i = 0; i < finalists.size(); ++i) timed.push_back({&variants[i], &finalists[i]});
  auto elsewhere = wrong_elsewhere(session, timed);
  if (elsewhere) {
    return settled({elsewhere->which, std::move(elsewhere->verdict)}, kept, finalists.size(),
                   session);
  }
  if (auto damage = kept.look(finalists.size(), session)) {
    return FinalistFailure{last, std::move(*damage)};
  }
  return std::nullopt;
}

// Checks a valid variant further before it counts. The best so far may win: it is launched more
// often, and its answers are compared on other inputs, too. That would take too long for all
// others; finalists are checked again in the final.
std::optional<Verdict> wrong_after_all(Session& session, const VariantPlan& variant,
                                       Admitted& admitted, Verdict& verdict) {
  const bool best = variant.best_ms == 0 || verdict.timing.median < variant.best_ms;
  if (best) {
    auto wrong = wrong_now_and_then(session, admitted);
    if (wrong) return wrong;
  }
  if (session.buffers().plan().deterministic) {
    auto bits = compare_bits(session, admitted);
    if (bits && bits->state != TrialState::kOk) return bits;
    if (bits) verdict.deterministic = bits->deterministic;
  }
  if (!best) return std::nullopt;
  auto elsewhere = wrong_elsewhere(session, {{&variant, &admitted}});
  if (!elsewhere) return std::nullopt;
  return std::move(elsewhere->verdict);
}

// Launches as often as the observer wants, without resets: a buffer that a launch changes and the
// next one reads goes on from launch to launch.
DeviceResult<Ok> launch_observed(Observer& observer, Session& session, const Admitted& admitted) {
  for (std::uint32_t i = 0; i < observer.launches(); ++i) {
    TUNER_TRY(session.backend().launch(admitted.bound.sequence));
  }
  return Ok{};
}

std::optional<Verdict> look(Observer& observer, Session& session, const Observed& seen,
                            const Admitted& admitted, Metrics& out) {
  if (observer.launches() > 0) {
    auto ready = session.buffers().reset(admitted.bound, Outputs::kPoisoned);
    if (!ready) return verdict_of(ready.error());
  }
  if (const auto wrong = observer.begin(seen)) return verdict_of(TrialState::kLaunch, *wrong);
  const auto launched = launch_observed(observer, session, admitted);
  auto values = observer.end(seen);  // also then: it may have begun to count
  if (!launched) return verdict_of(launched.error());
  if (!values) return verdict_of(TrialState::kLaunch, values.error());
  out.insert(out.end(), values->begin(), values->end());
  return std::nullopt;
}

// Has observers look at a variant that was timed and found right; adds what they see to `verdict`.
// One that fails says nothing of the variant, but the study asks for its values: the variant is
// kLaunch then, as where the device measures no power.
std::optional<Verdict> observe(const std::vector<std::unique_ptr<Observer>>& observers,
                               Session& session, const VariantPlan& variant,
                               const Admitted& admitted, Verdict& verdict) {
  const Observed seen{session.backend().facts(), variant.artifact, variant.geometry,
                      verdict.resources, verdict.timing.samples};
  for (const auto& observer : observers) {
    session.announce(Phase::kObserve);
    auto wrong = look(*observer, session, seen, admitted, verdict.observed);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

}  // namespace

DeviceResult<Ok> Evaluation::prepare(Doubts doubts) {
  const SizePlan& plan = buffers_.plan();
  if (plan.limits.any()) TUNER_TRY(backend_.set_limits(plan.limits));
  TUNER_TRY(buffers_.prepare(doubts));
  if (plan.measure.cache != CacheState::kRotate) return Ok{};
  std::vector<std::uint64_t> bytes;
  for (const ArgumentPlan& argument : plan.arguments) bytes.push_back(bytes_of(argument));
  return sampler_.reserve(bytes);
}

Verdict Evaluation::judge(const VariantPlan& variant, Session& session) {
  auto admitted = session.admit(variant);
  if (!admitted) return admitted.error();
  Verdict verdict = session.measure(variant, *admitted);
  if (verdict.state != TrialState::kOk) return verdict;
  auto wrong = wrong_after_all(session, variant, *admitted, verdict);
  if (!wrong) {
    wrong = observe(plugins_.observers, session, variant, *admitted, verdict);
  }
  if (!wrong) return verdict;
  wrong->resources = verdict.resources;
  if (wrong->max_error < 0) wrong->max_error = admitted->max_error;
  return std::move(*wrong);
}

Verdict Evaluation::evaluate(const VariantPlan& variant, const PhaseSink& phase) {
  if (auto room = buffers_.reserve(variant); !room) return verdict_of(room.error());
  Session session(backend_, buffers_, sampler_, phase);
  Verdict verdict = judge(variant, session);
  verdict = kept_.after(variant, std::move(verdict), session);
  verdict.drift = sentinel_.after(variant, verdict);
  return verdict;
}

std::optional<FinalistFailure> Evaluation::admit(const std::vector<VariantPlan>& variants,
                                                 const FinalPlan& plan, Session& session,
                                                 std::vector<Admitted>& finalists) {
  if (kept_.is_unsure()) {
    if (auto damage = kept_.look(0, session)) return FinalistFailure{0, std::move(*damage)};
  }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    auto admitted = session.admit(variants[i]);
    if (!admitted) return settled({i, admitted.error()}, kept_, 1, session);
    auto warm_up = sample_of(session, *admitted);
    if (!warm_up) return settled({i, warm_up.error()}, kept_, 1, session);
    if (auto damage = look_after(i, kept_, plan.looks_at_each, session)) return damage;
    admitted->inputs = session.inputs_of_the_best();
    // The first was the best in its search.
    const int of_slow = finalists.empty() ? 1 : 0;
    admitted->looks.fewest = session.is_answer_slow() ? of_slow : kFewestLooks;
    const auto chosen = sampler_.choose_launches(admitted->bound, *warm_up, admitted->inputs);
    if (!chosen) return FinalistFailure{i, verdict_of(chosen.error())};
    admitted->launches = *chosen;
    finalists.push_back(std::move(*admitted));
  }
  return std::nullopt;
}

// Checks the answers of timed launches after the rounds, and looks at what is kept.
std::optional<FinalistFailure> Evaluation::check(const std::vector<VariantPlan>& variants,
                                                 const FinalPlan& plan,
                                                 const std::vector<std::vector<double>>& times,
                                                 Session& session, std::vector<Admitted>& finalists,
                                                 std::size_t last) {
  const bool is_drawn = finalists[last].inputs == SampleInputs::kDrawn;
  auto wrong = is_drawn ? check_on_drawn_inputs(session, variants, times, finalists)
                        : check_timed_last(session, finalists, last);
  if (wrong) return settled(std::move(*wrong), kept_, finalists.size(), session);
  const bool looks_at_each = plan.looks_at_each;
  if (looks_at_each) {
    auto damage = kept_.look(finalists.size(), session);
    if (damage) return FinalistFailure{last, std::move(*damage)};
  }
  return check_finalists(session, kept_, looks_at_each, variants, finalists, last);
}

// The device has few registers for counters, so that launches are repeated: each from the same
// memory.
Evaluation::Samples Evaluation::count(const std::vector<std::string>& counters, Session& session,
                                      const std::vector<Admitted>& finalists) {
  std::vector<const LaunchSequence*> sequences;
  for (const Admitted& one : finalists) sequences.push_back(&one.bound.sequence);
  auto* const counting = dynamic_cast<CountsLaunches*>(&backend_);
  if (counting == nullptr) {
    return Unexpected{FinalistFailure{
        0, verdict_of(TrialState::kLaunch, "this backend has no hardware counters")}};
  }
  const bool cold = buffers_.plan().measure.cache == CacheState::kCold;
  auto values = counting->count(sequences, counters, cold, [&](std::size_t i) {
    session.announce(Phase::kObserve);
    return buffers_.reset(finalists[i].bound, Outputs::kPoisoned);
  });
  if (values) return std::move(*values);
  return Unexpected{FinalistFailure{values.error().at, verdict_of(values.error())}};
}

Evaluation::Samples Evaluation::remeasure(const std::vector<VariantPlan>& variants,
                                          const FinalPlan& plan, const PhaseSink& phase) {
  const Stopwatch since_begin;
  // For all of them before the first is bound, because a buffer that grows moves.
  for (std::size_t i = 0; i < variants.size(); ++i) {
    auto room = buffers_.reserve(variants[i]);
    if (!room) return Unexpected{FinalistFailure{i, verdict_of(room.error())}};
  }
  sampler_.begin_anew();
  Session session(backend_, buffers_, sampler_, phase);
  std::vector<Admitted> finalists;
  if (auto failed = admit(variants, plan, session, finalists)) {
    return Unexpected{std::move(*failed)};
  }
  if (!plan.counters.empty()) return count(plan.counters, session, finalists);
  std::vector<std::vector<double>> result(variants.size());
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(plan.seed);
  // The checks after the rounds take about as long as those before them.
  const double before = since_begin.seconds();
  for (int round = 0; round < plan.rounds; ++round) {
    const double so_far = since_begin.seconds();
    const double next = round == 0 ? 0 : (so_far - before) / round;
    if (round >= plan.fewest && so_far + next + before > plan.seconds) break;
    session.announce(Phase::kFinal);
    shuffle(order, random);
    for (const std::size_t i : order) {
      auto sample = sample_of_round(session, finalists[i], plan.rounds - 1 - round);
      if (!sample) {
        return Unexpected{settled({i, sample.error()}, kept_, finalists.size(), session)};
      }
      result[i].push_back(*sample);
    }
  }
  if (plan.rounds > 0 && !finalists.empty()) {
    auto wrong = check(variants, plan, result, session, finalists, order.back());
    if (wrong) return Unexpected{std::move(*wrong)};
  }
  return result;
}

}  // namespace tuner
