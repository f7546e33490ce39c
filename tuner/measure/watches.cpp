// Decides when to look at what is kept and makes verdicts of damage; times the first good variant
// again and again.

#include "tuner/measure/watches.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/measure/session.h"
#include "tuner/measure/verdict.h"
#include "tuner/model/statistics.h"

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

namespace {

constexpr std::chrono::seconds kPeriod{2};
constexpr std::uint32_t kSamples = 9;
// A longer kernel would cost more device time than its news is worth.
constexpr double kLongestMs = 20;

}  // namespace

std::optional<double> Sentinel::measure() {
  if (!buffers_.reserve(*variant_)) return std::nullopt;
  auto kernel = backend_.load(variant_->artifact);
  if (!kernel) return std::nullopt;
  const Loaded loaded(backend_, *kernel);
  const BoundLaunch bound = buffers_.bind(*variant_, loaded.kernel());
  if (!buffers_.renew_workspaces(bound)) return std::nullopt;
  TimingRequest request;
  request.samples = kSamples;
  request.flush_cache = buffers_.plan().measure.cache == CacheState::kCold;
  request.graph = buffers_.plan().measure.mode == LaunchMode::kGraph;
  request.restores = bound.restores;
  request.fills = bound.fills();
  const auto times = backend_.time(bound.sequence, request);
  if (!times) return std::nullopt;
  return median(*times);
}

double Sentinel::after(const VariantPlan& variant, const Verdict& verdict) {
  // Constants would have to be set again for each measurement: such studies have no sentinel.
  if (verdict.context_dead || !buffers_.plan().constants.empty()) return 0;
  if (buffers_.plan().measure.by_variant) return 0;  // nine launches may take minutes
  if (!variant_) {
    if (verdict.state != TrialState::kOk || verdict.timing.median > kLongestMs) return 0;
    variant_ = variant;
    due_ = clock_() + kPeriod;  // a run of a few seconds needs no sentinel
    return 0;
  }
  if (clock_() < due_) return 0;
  const auto ms = measure();
  due_ = clock_() + kPeriod;
  if (!ms || !(*ms > 0)) return 0;
  if (first_ms_ == 0) {
    first_ms_ = *ms;
    return 0;
  }
  return *ms / first_ms_;
}

}  // namespace tuner
