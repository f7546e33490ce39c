#include "tuner/plugins/strategies/exhaustive.h"
#include "tuner/plugins/strategies/random.h"

namespace tuner::strategies {

using All = sdk::Strategies<Exhaustive, Random>;

}  // namespace tuner::strategies

TUNER_PLUGIN("strategies", "1.0", tuner::strategies::All);
