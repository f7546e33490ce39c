// The plugin `strategies`: `default`, and the others that search with a model.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/model/model_search.h"

namespace tuner::strategies {
namespace {

// A model of everything measured, gain per second of tuning, sensible starts.
ModelSettings default_settings(const sdk::Options& options) {
  ModelSettings settings;
  settings.start = options.get<std::size_t>("start");
  settings.cost_weight = options.get<double>("cost");
  settings.pool = options.get<std::size_t>("pool");
  settings.most_points = options.get<std::size_t>("points");
  settings.ahead = options.get<double>("ahead");
  settings.shape.stretch = true;
  return settings;
}

class Default : public ModelSearch {
 public:
  static constexpr const char* kName = "default";
  static constexpr const char* kSummary =
      "a model of everything measured, gain per second, sensible starts; needs no setting";
  static constexpr tuner_option_info kOptions[] = {
      {"start", "3", "questions before the model is used (1 to 100000)", "integer 1..100000"},
      {"cost", "0.5", "0: gain counts alone, 1: gain per second of tuning (0 to 2)", "number 0..2"},
      {"ahead", "0.1",
       "where no machine is known, open questions per answer known, above the first two: more "
       "decides worse, fewer may leave compilers idle (0 to 1000)",
       "number 0..1000"},
      {"pool", "1200", "candidates that the model judges (10 to 100000)", "integer 10..100000"},
      {"points", "400", "measurements that the model is built on (10 to 5000)",
       "integer 10..5000"}};

  explicit Default(const StrategySetup& setup)
      : ModelSearch(setup, default_settings(setup.options)) {}
};

// Bayesian optimisation as in textbooks (Jones, Schonlau and Welch 1998): random starts, then an
// acquisition function.
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

extern constexpr Registration kDefault = registration_of<Default>();
extern constexpr Registration kBayesian = registration_of<Bayesian>();

}  // namespace tuner::strategies

// Strategies in the order of `tuner list strategies`. To add one, write its line here.
#define TUNER_STRATEGIES(EACH) \
  EACH(kDefault)               \
  EACH(kBayesian)

TUNER_STRATEGY_PLUGIN("strategies", TUNER_STRATEGIES);
