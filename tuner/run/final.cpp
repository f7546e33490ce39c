// Measures the best few again in turns.

#include "tuner/run/final.h"

#include <algorithm>
#include <utility>

#include "tuner/engine/baseline.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/statistics.h"

namespace tuner {
namespace {

// Rounds of the final: as many as fit into this much kernel time, so that short kernels, whose
// single samples say least, get the most.
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
  if (!finals_make_sense(study, size, device)) return {};
  auto chosen =
      choose_finalists(study.objective, trials, static_cast<std::size_t>(study.measure.finalists),
                       baseline_of(study));
  const auto standing = standing_final(study.objective, trials, baseline_of(study));
  if (standing && standing->finalists.size() >= chosen.size()) return {};
  return chosen;
}

HeldFinal hold_final(SizeEvaluator& evaluator, std::uint64_t seed,
                     const std::vector<std::size_t>& chosen, std::vector<Trial>& trials) {
  std::vector<Trial> best;
  for (const std::size_t at : chosen) best.push_back(trials[at]);
  auto samples = evaluator.duel(best, rounds_for(best), seed);
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

std::vector<Trial> take_over(const FinalRound& round, const Study& study, const SearchSpace& space,
                             std::vector<Trial>& trials) {
  std::vector<Trial> finalists;
  for (Trial& trial : trials) {
    const auto place = std::find(round.finalists.begin(), round.finalists.end(), trial.index);
    if (place == round.finalists.end()) continue;
    trial.final_samples =
        round.milliseconds[static_cast<std::size_t>(place - round.finalists.begin())];
    if (!trial.search_objective) trial.search_objective = trial.objective;
    trial.timing = summarise(trial.final_samples, study.measure.confidence);
    score(study, space.bindings(trial.configuration), trial);
    finalists.push_back(trial);
  }
  return finalists;
}

}  // namespace tuner
