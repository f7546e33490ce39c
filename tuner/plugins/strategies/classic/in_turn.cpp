// Every configuration once: in the order of the space, or in a random one, which is uniform
// sampling without replacement. Both in constant memory.

#include <unordered_set>

#include "tuner/plugins/strategies/catalogue.h"

namespace tuner::strategies {
namespace {

class InTurn : public sdk::Strategy {
 public:
  explicit InTurn(Index size) : size_(size) {}

  std::vector<Index> ask(std::size_t count) override {
    std::vector<Index> out;
    for (; next_ < size_ && out.size() < count; ++next_) {
      const Index index = at(next_);
      if (!known_.contains(index)) out.push_back(index);
    }
    return out;
  }

  // Only what lies ahead must be remembered: results of an earlier run.
  void tell(const Observation& observation) override {
    if (may_be_ahead(observation.index, next_)) known_.insert(observation.index);
  }

 private:
  virtual Index at(Index place) const = 0;
  // Whether a configuration may have a place from `next` on.
  virtual bool may_be_ahead(Index index, Index next) const = 0;

  Index size_;
  Index next_ = 0;
  std::unordered_set<Index, IndexHash> known_;
};

class Exhaustive : public InTurn {
 public:
  static constexpr const char* kName = "exhaustive";
  static constexpr const char* kSummary = "every valid configuration, in the order of the space";

  explicit Exhaustive(const StrategySetup& setup) : InTurn(setup.space.size()) {}

 private:
  Index at(Index place) const override { return place; }
  bool may_be_ahead(Index index, Index next) const override { return index >= next; }
};

class Random : public InTurn {
 public:
  static constexpr const char* kName = "random";
  static constexpr const char* kSummary = "uniform sampling without replacement";

  explicit Random(const StrategySetup& setup)
      : InTurn(setup.space.size()), order_(setup.space.size(), setup.seed) {}

 private:
  Index at(Index place) const override { return order_.at(place); }
  // All that is told after the first question was asked for here.
  bool may_be_ahead(Index /*index*/, Index next) const override { return next == 0; }

  Permutation order_;
};

}  // namespace

extern constexpr Registration kExhaustive = registration_of<Exhaustive>();
extern constexpr Registration kRandom = registration_of<Random>();

}  // namespace tuner::strategies
