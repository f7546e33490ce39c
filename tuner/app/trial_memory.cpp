#include "tuner/app/trial_memory.h"

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
  for (const Trial& trial : trials) known_.emplace(text_of(trial.configuration), trial);
}

std::optional<Trial> TrialMemory::find(const Configuration& configuration) const {
  const auto found = known_.find(text_of(configuration));
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

std::vector<Trial> TrialMemory::earlier_finalists(const std::vector<Trial>& now) const {
  std::vector<Trial> earlier;
  std::set<std::string> again_there;
  for (const Trial& finalist : now) again_there.insert(text_of(finalist.configuration));
  for (const auto& [text, trial] : known_) {
    if (trial.final_samples.empty()) continue;
    const bool again = again_there.count(text) > 0;
    if (again) continue;
    earlier.push_back(trial);
    earlier.back().final_samples.clear();
  }
  return earlier;
}

void TrialMemory::add_others(const SearchSpace& space, std::vector<Trial>& trials) const {
  std::set<ConfigIndex> seen;
  for (const Trial& trial : trials) seen.insert(trial.index);
  for (const auto& [text, trial] : known_) {
    const auto index = space.index_of(trial.configuration);
    if (!index || !seen.insert(*index).second) continue;
    trials.push_back(trial);
    trials.back().index = *index;
  }
}

}  // namespace tuner
