// The default strategy: a model of everything measured, gain per second of tuning, sensible starts.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/model/model_search.h"

namespace tuner::strategies {
namespace {

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

}  // namespace

extern constexpr Registration kDefault = registration_of<Default>();

}  // namespace tuner::strategies
