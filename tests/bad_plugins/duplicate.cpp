// Offers a strategy whose name another plugin has, and one that is new.
#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

struct Second : sdk::Strategy {
  static constexpr const char* kName = "sequence";
  static constexpr const char* kSummary = "the second of this name";
  explicit Second(const sdk::StrategySetup&) {}
  std::vector<sdk::Index> ask(std::size_t) override { return {}; }
  void tell(const sdk::Observation&) override {}
};

struct Own : Second {
  using Second::Second;
  static constexpr const char* kName = "own";
};

}  // namespace

TUNER_PLUGIN("duplicate", "1", sdk::Strategies<Second, Own>);
