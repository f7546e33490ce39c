// The plugin `strategies`: `default`, and the others that search with a model.

#include "tuner/plugins/strategies/catalogue.h"

// In the order of `tuner list strategies`. To add a strategy, write its file and its line here.
#define TUNER_STRATEGIES(EACH) \
  EACH(kDefault)               \
  EACH(kBayesian)              \
  EACH(kSurrogateForest)

TUNER_STRATEGY_PLUGIN("strategies", TUNER_STRATEGIES);
