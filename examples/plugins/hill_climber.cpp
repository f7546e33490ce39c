// A complete search strategy: it walks to better neighbours, and starts anew where there are none.

#include <limits>
#include <set>

#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner::sdk;

class HillClimber : public Strategy {
 public:
  static constexpr const char* kName = "hill_climber";
  static constexpr const char* kSummary = "walks to better neighbours; starts anew without any";
  static constexpr tuner_option_info kOptions[] = {
      {"starts", "3", "random configurations before the first walk", "integer 1..1000"}};

  explicit HillClimber(const StrategySetup& setup)
      : space_(setup.space),
        rng_(setup.seed),
        order_(space_.size(), setup.seed),
        starts_(setup.options.integer("starts", 1, 1000)) {}

  // Neighbours of the best first, then configurations in a random order, none of them twice.
  std::vector<Index> ask(std::size_t count) override {
    std::vector<Index> out;
    while (out.size() < count && (!neighbours_.empty() || place_ < order_.size())) {
      const Index next = neighbours_.empty() ? order_.at(place_++) : neighbours_.back();
      if (!neighbours_.empty()) neighbours_.pop_back();
      if (asked_.insert(next).second) out.push_back(next);
    }
    return out;
  }

  void tell(const Observation& seen) override {
    asked_.insert(seen.index);
    --starts_;
    if (seen.objectives.empty() || !(seen.objectives[0] < best_)) return;  // failed, or no better
    best_ = seen.objectives[0];
    if (starts_ > 0) return;
    neighbours_ = space_.neighbours(seen.index);
    rng_.shuffle(neighbours_);
  }

 private:
  Space space_;
  Rng rng_;
  Permutation order_;
  std::int64_t starts_;
  Index place_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  std::set<Index> asked_;
  std::vector<Index> neighbours_;
};

}  // namespace

TUNER_PLUGIN("hill_climber", "1.0", tuner::sdk::Strategies<HillClimber>);
