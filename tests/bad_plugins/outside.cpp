// Proposes what is not in the space, and more than it was asked for.
#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

struct Outside : sdk::Strategy {
  static constexpr const char* kName = "outside";
  static constexpr const char* kSummary = "proposes size()";
  explicit Outside(const sdk::StrategySetup& setup) : space(setup.space) {}
  std::vector<sdk::Index> ask(std::size_t) override { return {space.size()}; }
  void tell(const sdk::Observation&) override {}
  sdk::Space space;
};

struct TooMany : Outside {
  using Outside::Outside;
  static constexpr const char* kName = "too-many";
  std::vector<sdk::Index> ask(std::size_t count) override {
    return std::vector<sdk::Index>(count + 1, 0);
  }
};

}  // namespace

TUNER_PLUGIN("outside", "1", sdk::Strategies<Outside, TooMany>);
