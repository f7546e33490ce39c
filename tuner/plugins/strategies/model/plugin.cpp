// The plugin `strategies`: `default`, and the others that search with a model.

#include "tuner/plugins/strategies/catalogue.h"

// In the order of `tuner list strategies`. To add a strategy, write its file and its line here.
#define TUNER_STRATEGIES(EACH) \
  EACH(kDefault)               \
  EACH(kBayesian)              \
  EACH(kSurrogateForest)

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

TUNER_PLUGIN("strategies", "1.0", tuner::strategies::Listed);
