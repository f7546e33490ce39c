// The plugin of all search strategies: their list, and the tables that the host reads.

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
  EACH(kDefault)               \
  EACH(kBayesian)              \
  EACH(kSurrogateForest)       \
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

namespace {

// What sdk::Strategies<...> makes of types, made of registrations.
struct Listed {
  static constexpr const char* kKind = TUNER_KIND_STRATEGY;

  static const void* factory() {
    static const tuner_strategy_factory table{sizeof(tuner_strategy_factory),
                                              static_cast<std::uint32_t>(catalogue().size()), info,
                                              create};
    return &table;
  }

 private:
  static const tuner_strategy_factory& of(std::uint32_t item) {
    return *static_cast<const tuner_strategy_factory*>(catalogue()[item]->table());
  }

  static const tuner_item_info* info(std::uint32_t item) {
    return item < catalogue().size() ? of(item).info(0) : nullptr;
  }

  static int create(std::uint32_t item, const tuner_strategy_setup* setup, tuner_strategy* out,
                    tuner_sink error) {
    if (item < catalogue().size()) return of(item).create(0, setup, out, error);
    return sdk::detail::report(error, TUNER_INVALID, "no such item");
  }
};

}  // namespace
}  // namespace tuner::strategies

TUNER_PLUGIN("strategies", "1.0", tuner::strategies::Listed);
