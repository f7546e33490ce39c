#include "tuner/plugins/strategies/default.h"

namespace tuner::strategies {
namespace {

ModelSettings settings_of(const sdk::Options& options) {
  ModelSettings settings;
  settings.start = static_cast<std::size_t>(options.integer("start", 1, 100000));
  settings.cost_weight = options.number("cost", 0, 2);
  settings.pool = static_cast<std::size_t>(options.integer("pool", 10, 100000));
  settings.most_points = static_cast<std::size_t>(options.integer("points", 10, 5000));
  settings.ahead = options.number("ahead", 0, 1000);
  return settings;
}

}  // namespace

Default::Default(const StrategySetup& setup) : ModelSearch(setup, settings_of(setup.options)) {}

}  // namespace tuner::strategies
