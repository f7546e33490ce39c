// The final: PoolEvaluator's best, measured again side by side.
#include <map>
#include <utility>

#include "tuner/engine/resolve.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {

// Their plans with artifacts, which may have to be compiled again; empty when that cannot be done.
std::vector<VariantPlan> PoolEvaluator::finalists(const std::vector<Trial>& trials) {
  std::vector<VariantPlan> variants;
  std::map<std::uint64_t, std::size_t> awaited;
  for (const Trial& trial : trials) {
    Job job;
    job.trial = trial;
    CompileRequest request;
    if (!resolve(job, request)) {
      finished_.pop_back();
      return {};
    }
    const std::string key = setup_.library.key(request);
    variants.push_back(std::move(job.plan));
    if (const auto known = known_.find(key); known != known_.end()) {
      variants.back().artifact = *known->second;
    } else if (auto cached = setup_.library.find(key)) {
      variants.back().artifact = std::move(*cached);
    } else {
      awaited[compilers_.submit(key, std::move(request))] = variants.size() - 1;
    }
  }
  start_preparing();
  while (!awaited.empty() || preparation_ != Preparation::kDone) {
    if (interrupt_.count() > 0) return {};
    wait();
    take_prepared();
    for (const CompileResult& result : compilers_.handle()) {
      if (take_reference(result)) continue;
      const auto slot = awaited.find(result.id);
      if (slot == awaited.end()) continue;
      if (!result.outcome) return {};
      variants[slot->second].artifact = **result.outcome;
      awaited.erase(slot);
    }
  }
  return variants;
}

std::vector<std::vector<double>> PoolEvaluator::duel(std::vector<Trial>& trials, int rounds,
                                                     std::uint64_t seed) {
  std::vector<VariantPlan> variants = finalists(trials);
  std::vector<std::size_t> places;  // of the variants that still take part
  for (std::size_t i = 0; i < variants.size(); ++i) places.push_back(i);
  std::vector<std::vector<double>> samples(trials.size());
  while (places.size() > 1 && interrupt_.count() == 0) {
    RunWorker::Duel duel = runner_.duel(variants, rounds, seed);
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
