// The plugin `classic`: the strategies of the literature, without a model.

#include "tuner/plugins/strategies/catalogue.h"

// In the order of `tuner list strategies`. To add a strategy, write its file and its line here.
#define TUNER_STRATEGIES(EACH) \
  EACH(kExhaustive)            \
  EACH(kRandom)                \
  EACH(kGenetic)               \
  EACH(kDifferentialEvolution) \
  EACH(kParticleSwarm)         \
  EACH(kSimulatedAnnealing)    \
  EACH(kIteratedLocalSearch)   \
  EACH(kTabu)                  \
  EACH(kGreyWolf)              \
  EACH(kFirefly)               \
  EACH(kBasinHopping)          \
  EACH(kPatternSearch)         \
  EACH(kHybridVndx)            \
  EACH(kNsga2)                 \
  EACH(kBandit)

namespace tuner::strategies {

#define DECLARE(name) extern const Registration name;
TUNER_STRATEGIES(DECLARE)
#undef DECLARE

std::span<const Registration* const> catalogue() {
#define ADDRESS(name) &(name),
  static constexpr const Registration* kAll[] = {TUNER_STRATEGIES(ADDRESS)};
#undef ADDRESS
  return kAll;
}

}  // namespace tuner::strategies

TUNER_PLUGIN("classic", "1.0", tuner::strategies::Listed);
