// Uniform sampling without replacement: a random order of the whole space, in constant memory.

#include <unordered_set>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {
namespace {

class Random : public sdk::Strategy {
 public:
  static constexpr const char* kName = "random";
  static constexpr const char* kSummary = "uniform sampling without replacement";

  explicit Random(const StrategySetup& setup) : order_(setup.space.size(), setup.seed) {}
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

 private:
  Permutation order_;
  Index next_ = 0;
  std::unordered_set<Index, IndexHash> earlier_;
};

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

}  // namespace

extern constexpr Registration kRandom = registration_of<Random>();

}  // namespace tuner::strategies
