// Recalls the trials of a size that the store already has.

#include "tuner/run/trial_memory.h"

#include <map>
#include <set>

namespace tuner {
namespace {

std::string text_of(const Configuration& configuration) {
  std::string text;
  for (const Value& value : configuration) text += to_text(value) + '\n';
  return text;
}

}  // namespace

TrialMemory::TrialMemory(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    if (places_.emplace(text_of(trial.configuration), known_.size()).second) {
      known_.push_back(trial);
    }
  }
}

std::vector<Trial> TrialMemory::in(const SearchSpace& space) const {
  std::vector<Trial> trials;
  add_others(space, trials);
  return trials;
}

void TrialMemory::replace(const Trial& trial) {
  const auto [at, is_new] = places_.emplace(text_of(trial.configuration), known_.size());
  if (is_new) {
    known_.push_back(trial);
  } else {
    known_[at->second] = trial;
  }
}

std::vector<Trial> TrialMemory::earlier_finalists(const std::vector<Trial>& now) const {
  std::vector<Trial> earlier;
  std::set<std::string> again_there;
  for (const Trial& finalist : now) again_there.insert(text_of(finalist.configuration));
  for (const Trial& trial : known_) {
    if (!trial.final || again_there.contains(text_of(trial.configuration))) continue;
    earlier.push_back(trial);
    earlier.back().final.reset();
  }
  return earlier;
}

void TrialMemory::add_others(const SearchSpace& space, std::vector<Trial>& trials) const {
  std::set<ConfigIndex> seen;
  for (const Trial& trial : trials) seen.insert(trial.index);
  for (const Trial& trial : known_) {
    const auto index = space.index_of(trial.configuration);
    if (!index || !seen.insert(*index).second) continue;
    trials.push_back(trial);
    trials.back().index = *index;
  }
}

std::vector<Trial> TrialMemory::outside(const SearchSpace& space) const {
  std::map<std::string, const Trial*> outside;  // in an order that is the same in each run
  for (const Trial& trial : known_) {
    if (!space.index_of(trial.configuration)) {
      outside.emplace(text_of(trial.configuration), &trial);
    }
  }
  std::vector<Trial> trials;
  trials.reserve(outside.size());
  for (const auto& [text, trial] : outside) trials.push_back(*trial);
  return trials;
}

void TrialMemory::add_outsiders(const SearchSpace& space, std::vector<Trial>& trials) const {
  ConfigIndex index = space.size();
  for (Trial& trial : outside(space)) {
    trial.index = index++;
    trials.push_back(std::move(trial));
  }
}

}  // namespace tuner
