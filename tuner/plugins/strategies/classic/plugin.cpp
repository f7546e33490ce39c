// The plugin `classic`: the strategies of the literature, without a model.

#include "tuner/plugins/strategies/catalogue.h"

// Strategies in the order of `tuner list strategies`. To add one, write its line here.
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

TUNER_STRATEGY_PLUGIN("classic", TUNER_STRATEGIES);
