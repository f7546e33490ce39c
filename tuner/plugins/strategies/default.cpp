#include "tuner/plugins/strategies/default.h"

namespace tuner::strategies {
namespace {
ModelSettings settings_of(const sdk::Options& o) {
  ModelSettings s;
  s.start = o.integer("start", 1, 1000);
  s.pool = o.integer("pool", 10, 100000);
  s.most_points = o.integer("points", 10, 100000);
  s.fit_steps = o.integer("fit", 0, 1000);
  s.fit_points = o.integer("fitp", 4, 100000);
  s.refit_growth = o.number("grow", 1, 10);
  s.cost_weight = o.number("cost", 0, 10);
  s.shape.flatten = o.number("flatten", 0, 1);
  s.shape.failure = o.number("failure", -10, 10);
  s.acquisition.kappa = o.number("kappa", 0, 100);
  s.acquisition.margin = o.number("margin", -10, 10);
  auto a = o.text_of("acq");
  s.acquisition.kind = a == "lcb"  ? Acquisition::Kind::kConfidenceBound
                       : a == "pi" ? Acquisition::Kind::kProbability
                                   : Acquisition::Kind::kExpectedImprovement;
  return s;
}
}  // namespace
Default::Default(const StrategySetup& setup) : ModelSearch(setup, settings_of(setup.options)) {}
}  // namespace tuner::strategies
