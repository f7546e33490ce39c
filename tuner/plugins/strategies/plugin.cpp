#include <tuple>

#include "tuner/plugins/strategies/bandit.h"
#include "tuner/plugins/strategies/basin_hopping.h"
#include "tuner/plugins/strategies/bayesian.h"
#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/default.h"
#include "tuner/plugins/strategies/differential_evolution.h"
#include "tuner/plugins/strategies/exhaustive.h"
#include "tuner/plugins/strategies/firefly.h"
#include "tuner/plugins/strategies/genetic.h"
#include "tuner/plugins/strategies/grey_wolf.h"
#include "tuner/plugins/strategies/hybrid_vndx.h"
#include "tuner/plugins/strategies/iterated_local_search.h"
#include "tuner/plugins/strategies/nsga2.h"
#include "tuner/plugins/strategies/particle_swarm.h"
#include "tuner/plugins/strategies/pattern_search.h"
#include "tuner/plugins/strategies/random.h"
#include "tuner/plugins/strategies/simulated_annealing.h"
#include "tuner/plugins/strategies/surrogate_forest.h"
#include "tuner/plugins/strategies/tabu.h"

namespace tuner::strategies {
namespace {

// All but Bandit, which uses them.
using Kinds =
    std::tuple<Exhaustive, Random, Genetic, DifferentialEvolution, ParticleSwarm,
               SimulatedAnnealing, IteratedLocalSearch, Tabu, GreyWolf, Firefly, BasinHopping,
               PatternSearch, HybridVndx, Nsga2, Default, Bayesian, SurrogateForest>;

template <typename... T>
std::unique_ptr<sdk::Strategy> make(std::string_view name, StrategySetup setup,
                                    std::tuple<T...>* /*kinds*/) {
  std::unique_ptr<sdk::Strategy> made;
  std::string known;
  const auto try_one = [&]<typename One>(One*) {
    known += (known.empty() ? "" : ", ") + std::string(One::kName);
    if (name != One::kName) return;
    setup.options = sdk::Options(sdk::detail::options_of<One>(), {});
    made = std::make_unique<One>(setup);
  };
  (try_one(static_cast<T*>(nullptr)), ...);
  if (!made) {
    throw sdk::Error(TUNER_INVALID, "no strategy '" + std::string(name) + "'; there are: " + known);
  }
  return made;
}

template <typename Kinds>
struct Listed;
template <typename... T>
struct Listed<std::tuple<T...>> {
  using All = sdk::Strategies<T..., Bandit>;
};

}  // namespace

std::unique_ptr<sdk::Strategy> make_strategy(std::string_view name, const StrategySetup& setup) {
  return make(name, setup, static_cast<Kinds*>(nullptr));
}

using All = Listed<Kinds>::All;

}  // namespace tuner::strategies

TUNER_PLUGIN("strategies", "1.0", tuner::strategies::All);
