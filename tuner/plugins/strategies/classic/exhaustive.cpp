// Every valid configuration, in the order of the space.

#include <unordered_set>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {
namespace {

class Exhaustive : public sdk::Strategy {
 public:
  static constexpr const char* kName = "exhaustive";
  static constexpr const char* kSummary = "every valid configuration, in the order of the space";

  explicit Exhaustive(const StrategySetup& setup) : size_(setup.space.size()) {}
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

 private:
  Index size_;
  Index next_ = 0;
  std::unordered_set<Index, IndexHash> known_;  // of those ahead
};

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

}  // namespace

extern constexpr Registration kExhaustive = registration_of<Exhaustive>();

}  // namespace tuner::strategies
