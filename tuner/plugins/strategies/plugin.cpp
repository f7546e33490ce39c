#include "tuner/plugins/strategies/basin_hopping.h"
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
#include "tuner/plugins/strategies/tabu.h"

namespace tuner::strategies {

using All = sdk::Strategies<Exhaustive, Random, Genetic, DifferentialEvolution, ParticleSwarm,
                            SimulatedAnnealing, IteratedLocalSearch, Tabu, GreyWolf, Firefly,
                            BasinHopping, PatternSearch, HybridVndx, Nsga2, Default>;

}  // namespace tuner::strategies

TUNER_PLUGIN("strategies", "1.0", tuner::strategies::All);
