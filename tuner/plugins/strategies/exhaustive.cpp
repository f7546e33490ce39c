#include "tuner/plugins/strategies/exhaustive.h"

namespace tuner::strategies {

std::vector<Index> Exhaustive::ask(std::size_t count) {
  std::vector<Index> out;
  for (; next_ < size_ && out.size() < count; ++next_) {
    if (!known_.contains(next_)) out.push_back(next_);
  }
  return out;
}

// Only what lies ahead must be remembered: results of an earlier run.
void Exhaustive::tell(const Observation& observation) {
  if (observation.index >= next_) known_.insert(observation.index);
}

}  // namespace tuner::strategies
