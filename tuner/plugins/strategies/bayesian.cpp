#include "tuner/plugins/strategies/bayesian.h"

namespace tuner::strategies {
namespace {

ModelSettings settings_of(const sdk::Options& options) {
  using Kind = Acquisition::Kind;
  ModelSettings settings;
  settings.sensible_start = false;
  const std::string& kind = options.choice("acquisition", {"ei", "pi", "lcb"});
  settings.acquisition.kind = kind == "ei"   ? Kind::kExpectedImprovement
                              : kind == "pi" ? Kind::kProbability
                                             : Kind::kConfidenceBound;
  settings.acquisition.kappa = options.number("kappa", 0, 100);
  settings.acquisition.margin = options.number("margin", 0, 10);
  settings.start = static_cast<std::size_t>(options.integer("start", 1, 100000));
  settings.pool = static_cast<std::size_t>(options.integer("pool", 10, 100000));
  settings.most_points = static_cast<std::size_t>(options.integer("points", 10, 5000));
  return settings;
}

}  // namespace

Bayesian::Bayesian(const StrategySetup& setup) : ModelSearch(setup, settings_of(setup.options)) {}

}  // namespace tuner::strategies
