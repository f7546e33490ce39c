// Has finalists measured in turns, again without each that fails.

#include "tuner/worker/held_duel.h"

#include <cstddef>
#include <utility>

namespace tuner {

std::vector<std::vector<double>> hold_duel(RunWorker& worker, std::vector<VariantPlan> variants,
                                           std::vector<Trial>& trials, const FinalPlan& plan,
                                           const RunWorker::IsOver& is_over,
                                           const std::function<void(int, int)>& rounds) {
  const TimePoint begun = Clock::now();
  std::vector<std::size_t> places;  // of the variants that still take part
  for (std::size_t i = 0; i < variants.size(); ++i) places.push_back(i);
  std::vector<std::vector<double>> samples(trials.size());
  while (places.size() > 1 && !is_over()) {
    FinalPlan left = plan;
    left.seconds = plan.seconds - seconds_since(begun);
    RunWorker::Duel duel = worker.duel(variants, left, is_over, [&](int done) {
      if (rounds) rounds(done, plan.rounds);
    });
    if (duel.samples.size() == places.size()) {
      for (std::size_t i = 0; i < places.size(); ++i)
        samples[places[i]] = std::move(duel.samples[i]);
      return samples;
    }
    if (!duel.failed) return {};
    const auto at = static_cast<std::ptrdiff_t>(duel.failed->first);
    Trial& loser = trials[places[duel.failed->first]];
    loser.state = duel.failed->second.state;
    loser.message = "in the final: " + duel.failed->second.message;
    variants.erase(variants.begin() + at);
    places.erase(places.begin() + at);
  }
  return {};
}

}  // namespace tuner
