#include "tuner/plugins/strategies/random.h"

namespace tuner::strategies {

std::vector<Index> Random::ask(std::size_t count) {
  std::vector<Index> out;
  for (; next_ < order_.size() && out.size() < count; ++next_) {
    const Index index = order_.at(next_);
    if (!earlier_.contains(index)) out.push_back(index);
  }
  return out;
}

// Results told before the first question are an earlier run's; all later ones were asked for here.
void Random::tell(const Observation& observation) {
  if (next_ == 0) earlier_.insert(observation.index);
}

}  // namespace tuner::strategies
