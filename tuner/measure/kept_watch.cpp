// Decides when to look at what is kept, and makes verdicts of damage.

#include "tuner/measure/kept_watch.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/measure/verdict.h"

namespace tuner {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{4} << 20;  // looked at in a millisecond
constexpr int kShare = 20;  // of the time, looking at what is larger takes one part at most

}  // namespace

bool KeptWatch::is_due() const {
  return buffers_.kept_bytes() <= kSmall || clock_() - looked_ >= kShare * cost_;
}

std::optional<Verdict> KeptWatch::look(std::size_t launched, const Session& session) {
  const bool is_alone = launched == 1 && !is_unsure();
  unseen_ += launched;
  if (buffers_.kept_bytes() > kSmall) session.announce(Phase::kInputs);
  const auto begin = clock_();
  auto damaged = buffers_.damaged();
  looked_ = clock_();
  cost_ = looked_ - begin;
  if (!damaged) return verdict_of(damaged.error());
  if (!*damaged) {
    unseen_ = 0;
    return std::nullopt;
  }
  Verdict verdict;
  if (is_alone) {
    verdict =
        verdict_of(TrialState::kCorrectness,
                   fmt::format("writes far outside of its buffers: it has changed {}", **damaged));
  } else {
    verdict = verdict_of(TrialState::kRuntime,
                         fmt::format("one of several variants has changed {}", **damaged));
    verdict.retryable = true;
    verdict.kept = Kept::kDamaged;
  }
  verdict.context_dead = true;
  return verdict;
}

Verdict KeptWatch::after(const VariantPlan& variant, Verdict verdict, const Session& session) {
  // All of it goes with the context. What is over a limit was not launched.
  if (verdict.context_dead || verdict.state == TrialState::kConstraints) return verdict;
  const bool is_best = verdict.state == TrialState::kOk &&
                       (variant.best_ms == 0 || verdict.timing.median < variant.best_ms);
  const bool is_wrong = verdict.state == TrialState::kCorrectness;
  if (!is_best && !is_wrong && !variant.looks_at_kept && !is_due()) {
    ++unseen_;
    return verdict;
  }
  if (auto damage = look(1, session)) {
    damage->resources = verdict.resources;
    return std::move(*damage);
  }
  verdict.kept = Kept::kWhole;
  return verdict;
}

}  // namespace tuner
