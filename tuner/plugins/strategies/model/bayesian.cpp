// Bayesian optimisation as in textbooks (Jones, Schonlau and Welch 1998): random starts, then an
// acquisition function.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/model/model_search.h"

namespace tuner::strategies {
namespace {

ModelSettings bayesian_settings(const sdk::Options& options) {
  using Kind = Acquisition::Kind;
  ModelSettings settings;
  settings.sensible_start = false;
  const auto kind = options.get<std::string>("acquisition");
  settings.acquisition.kind = kind == "ei"   ? Kind::kExpectedImprovement
                              : kind == "pi" ? Kind::kProbability
                                             : Kind::kConfidenceBound;
  settings.acquisition.kappa = options.get<double>("kappa");
  settings.acquisition.margin = options.get<double>("margin");
  settings.start = options.get<std::size_t>("start");
  settings.pool = options.get<std::size_t>("pool");
  settings.most_points = options.get<std::size_t>("points");
  return settings;
}

class Bayesian : public ModelSearch {
 public:
  static constexpr const char* kName = "bayesian";
  static constexpr const char* kSummary = "a Gaussian process says what to measure next";
  static constexpr tuner_option_info kOptions[] = {
      {"acquisition", "ei",
       "ei (expected improvement), pi (its probability) or lcb (confidence bound)",
       "one of ei, pi, lcb"},
      {"kappa", "1.5", "deviations below the mean, for lcb (0 to 100)", "number 0..100"},
      {"margin", "0", "deviations that count as no improvement, for ei and pi (0 to 10)",
       "number 0..10"},
      {"start", "10", "random configurations before the model is used (1 to 100000)",
       "integer 1..100000"},
      {"pool", "1000", "candidates that the model judges (10 to 100000)", "integer 10..100000"},
      {"points", "400", "measurements that the model is built on (10 to 5000)",
       "integer 10..5000"}};

  explicit Bayesian(const StrategySetup& setup)
      : ModelSearch(setup, bayesian_settings(setup.options)) {}
};

}  // namespace

extern constexpr Registration kBayesian = registration_of<Bayesian>();

}  // namespace tuner::strategies
