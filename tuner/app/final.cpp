// Measures the best few again in turns.

#include "tuner/app/final.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/objective.h"
#include "tuner/engine/statistics.h"

namespace tuner {
namespace {

// Rounds of the final: as many as fit into this much kernel time, so that short kernels, whose
// single samples say least, get the most.
constexpr double kFinalMilliseconds = 1500;
constexpr int kFewestRounds = 31;
constexpr int kMostRounds = 151;

bool finals_make_sense(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  return study.measure.finalists >= 2 && faster_is_better(study, size, device);
}

}  // namespace

std::optional<Final> earlier_final(const Study& study, const std::vector<Trial>& trials) {
  auto round = standing_final(study.objective, trials);
  if (!round) return std::nullopt;
  return Final{std::move(*round), false};
}

bool final_is_due(const RunShared& shared, const ProblemSize& size, const DeviceFacts& device,
                  const std::vector<Trial>& trials) {
  const Study& study = *shared.study;
  if (!finals_make_sense(study, size, device)) return false;
  const auto chosen =
      choose_finalists(study.objective, trials, static_cast<std::size_t>(study.measure.finalists));
  const auto standing = standing_final(study.objective, trials);
  return !chosen.empty() && !(standing && standing->finalists.size() >= chosen.size());
}

std::optional<Final> final_round(const RunShared& shared, const ProblemSize& size,
                                 const DeviceFacts& device, const Context& context,
                                 PoolEvaluator& evaluator, std::vector<Trial>& trials) {
  const Study& study = *shared.study;
  if (!finals_make_sense(study, size, device)) return std::nullopt;
  if (shared.interrupt->count() > 0 || !final_is_due(shared, size, device, trials)) {
    return earlier_final(study, trials);
  }
  const auto chosen =
      choose_finalists(study.objective, trials, static_cast<std::size_t>(study.measure.finalists));
  shared.progress->note(fmt::format("  final: the best {} again, interleaved", chosen.size()));
  std::vector<Trial> best;
  for (const std::size_t at : chosen) best.push_back(trials[at]);
  double once = 0;
  for (const Trial& trial : best) once += trial.timing.median;
  const int rounds =
      static_cast<int>(std::clamp<double>(kFinalMilliseconds / once, kFewestRounds, kMostRounds));
  const auto samples = evaluator.duel(best, rounds, shared.options->seed);
  Final now{FinalRound{}, true};
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].state != TrialState::kOk) {
      trials[chosen[i]] = best[i];
      shared.store->record(context, best[i]);
    } else if (!samples.empty()) {
      now.round.finalists.push_back(best[i].index);
      now.round.milliseconds.push_back(samples[i]);
    }
  }
  if (now.round.finalists.empty()) return std::nullopt;
  return now;
}

std::vector<Trial> take_over(const FinalRound& round, const PoolEvaluator& evaluator,
                             double confidence, std::vector<Trial>& trials) {
  std::vector<Trial> finalists;
  for (Trial& trial : trials) {
    const auto place = std::find(round.finalists.begin(), round.finalists.end(), trial.index);
    if (place == round.finalists.end()) continue;
    trial.final_samples =
        round.milliseconds[static_cast<std::size_t>(place - round.finalists.begin())];
    if (!trial.search_objective) trial.search_objective = trial.objective;
    trial.timing = summarise(trial.final_samples, confidence);
    evaluator.score(trial);
    finalists.push_back(trial);
  }
  return finalists;
}

}  // namespace tuner
