// Measures the best few again in turns, and divides a budget's seconds.

#include "tuner/run/final.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/model/statistics.h"
#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

// Rounds of the final: as many as fit into this much kernel time, so that short kernels, whose
// single samples show least, get the most.
constexpr double kFinalMilliseconds = 1500;
constexpr int kFewestRounds = 31;
constexpr int kMostRounds = 151;

int rounds_for(const std::vector<Trial>& finalists) {
  double once = 0;
  for (const Trial& trial : finalists) once += trial.timing.median;
  return static_cast<int>(
      std::clamp<double>(kFinalMilliseconds / once, kFewestRounds, kMostRounds));
}

}  // namespace

bool finals_make_sense(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  return study.measure.finalists >= 2 && faster_is_better(study, size, device);
}

std::vector<std::size_t> finalists_due(const Study& study, const ProblemSize& size,
                                       const DeviceFacts& device,
                                       const std::vector<Trial>& trials) {
  const int most = std::max(0, study.measure.finalists);
  return finalists_due(study, size, device, trials, static_cast<std::size_t>(most));
}

std::vector<std::size_t> finalists_due(const Study& study, const ProblemSize& size,
                                       const DeviceFacts& device, const std::vector<Trial>& trials,
                                       std::size_t most) {
  if (!finals_make_sense(study, size, device)) return {};
  auto chosen = choose_finalists(study.objective, trials, most, baseline_of(study));
  const auto standing = standing_final(study.objective, trials, baseline_of(study));
  if (standing && standing->finalists.size() >= chosen.size()) return {};
  return chosen;
}

FinalEstimate::FinalEstimate(const MeasureSpec& measure)
    : most_(static_cast<std::size_t>(std::max(0, measure.finalists))) {}

void FinalEstimate::hear(const Trial& trial) {
  if (!is_valid(trial) || trial.outdated || !is_time(trial.timing.median)) return;
  ++valid_;
  device_seconds_ += std::max(0.0, trial.cost_seconds - trial.compile_ms / 1000);
  const double ms = trial.timing.median;
  best_ms_.insert(std::ranges::upper_bound(best_ms_, ms), ms);
  if (best_ms_.size() > most_) best_ms_.pop_back();
}

double FinalEstimate::finalists() const {
  if (best_ms_.empty()) return 0;
  const double slowest = best_ms_.front() * (1 + kFinalistMargin);
  return static_cast<double>(std::ranges::upper_bound(best_ms_, slowest) - best_ms_.begin());
}

// Each finalist is verified before and after; the mean cost of an evaluation is more than that.
double FinalEstimate::around_rounds() const {
  return finalists() * device_seconds_ / static_cast<double>(valid_);
}

// Estimates the seconds of one round. The work around a sample (clearing caches, copying buffers)
// takes about as long as the kernel.
double FinalEstimate::one_round() const {
  constexpr double kAroundSample = 2;
  return finalists() * kAroundSample * best_ms_.front() / 1000;
}

double FinalEstimate::seconds() const {
  if (finalists() < 2) return 0;
  const double rounds = std::clamp<double>(kFinalMilliseconds / (finalists() * best_ms_.front()),
                                           kFewestRounds, kMostRounds);
  return around_rounds() + rounds * one_round();
}

double FinalEstimate::fewest_seconds() const {
  return finalists() < 2 ? 0 : around_rounds() + FinalPlan{}.fewest * one_round();
}

std::size_t FinalEstimate::room(double seconds) const {
  const double fewest = fewest_seconds();
  if (!(fewest > seconds)) return most_;
  return static_cast<std::size_t>(std::max(0.0, finalists() * seconds / fewest));
}

HeldFinal hold_final(SizeEvaluator& evaluator, std::uint64_t seed, double seconds,
                     const std::vector<std::size_t>& chosen, std::vector<Trial>& trials) {
  std::vector<Trial> best;
  for (const std::size_t at : chosen) best.push_back(trials[at]);
  FinalPlan plan;
  plan.rounds = rounds_for(best);
  plan.seed = seed;
  plan.seconds = seconds;
  auto samples = evaluator.remeasure(best, plan);
  HeldFinal held;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].state != TrialState::kOk) {
      trials[chosen[i]] = best[i];
      held.failed.push_back(std::move(best[i]));
    } else if (!samples.empty()) {
      held.round.finalists.push_back(best[i].index);
      held.round.milliseconds.push_back(std::move(samples[i]));
    }
  }
  return held;
}

std::optional<FinalCheck> check_final(SizeEvaluator& evaluator, std::uint64_t seed, double seconds,
                                      const RankedResults& results) {
  if (results.ranked < 2 || !results.trials[0].final || !results.trials[1].final) {
    return std::nullopt;
  }
  std::vector<Trial> best(results.trials.begin(), results.trials.begin() + 2);
  FinalPlan plan;
  plan.rounds = kFewestRounds;
  plan.seed = seed;
  plan.seconds = seconds;
  const auto held = evaluator.remeasure_elsewhere(best, plan);
  if (!held || held->samples.size() != 2 || held->samples[0].empty()) return std::nullopt;
  std::vector<double> leads;
  const std::size_t rounds = std::min(held->samples[0].size(), held->samples[1].size());
  for (std::size_t i = 0; i < rounds; ++i) {
    leads.push_back(held->samples[1][i] / held->samples[0][i]);
  }
  if (leads.empty()) return std::nullopt;
  const double here = results.trials[0].final->median_ms.value();
  return FinalCheck{held->device, median(held->samples[0]) / here, median(std::move(leads))};
}

std::string text_of(const FinalCheck& check) {
  const double lead = 100 * (check.lead - 1);
  return fmt::format(
      "  checked on {}: the best takes {:+.1f} % there, and is {:.1f} % {} the "
      "second",
      text_of(check.device), 100 * (check.ratio - 1), std::abs(lead),
      lead >= 0 ? "faster than" : "slower than");
}

std::vector<Trial> take_over(FinalRound& round, const Study& study, const SearchSpace& space,
                             const Ceilings& ceilings, std::vector<Trial>& trials) {
  std::vector<Trial> finalists;
  for (Trial& trial : trials) {
    const auto place = std::find(round.finalists.begin(), round.finalists.end(), trial.index);
    if (place == round.finalists.end()) continue;
    const auto samples = round.milliseconds.begin() + (place - round.finalists.begin());
    trial.final.emplace().samples = *samples;
    score_final(study, space.bindings(trial.configuration), ceilings, trial);
    finalists.push_back(trial);
    if (is_valid(trial)) continue;
    round.milliseconds.erase(samples);
    round.finalists.erase(place);
  }
  return finalists;
}

namespace {

double for_writing(double seconds) { return std::min(0.1 + 0.01 * seconds, 0.1 * seconds); }

}  // namespace

double end_of_final(std::optional<double> seconds) {
  return seconds ? *seconds - for_writing(*seconds) : kNoEnd;
}

double reserve(std::optional<double> seconds, const FinalEstimate& final, bool has_final) {
  constexpr double kForAllRounds = 0.15;
  constexpr double kForFewest = 0.25;
  if (!seconds) return 0;
  const double fewest = final.fewest_seconds();
  if (!has_final || fewest > kForFewest * *seconds) return for_writing(*seconds);
  return for_writing(*seconds) +
         std::min(final.seconds(), std::max(fewest, kForAllRounds * *seconds));
}

}  // namespace tuner
