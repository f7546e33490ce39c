// Strategies whose options nobody could give.
#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

struct Idle : sdk::Strategy {
  static constexpr const char* kSummary = "proposes nothing";
  explicit Idle(const sdk::StrategySetup&) {}
  std::vector<sdk::Index> ask(std::size_t) override { return {}; }
  void tell(const sdk::Observation&) override {}
};

struct Twice : Idle {
  using Idle::Idle;
  static constexpr const char* kName = "twice";
  static constexpr tuner_option_info kOptions[] = {{"step", "1", "first", nullptr},
                                                   {"step", "2", "second", nullptr}};
};

struct Riddle : Idle {
  using Idle::Idle;
  static constexpr const char* kName = "riddle";
  static constexpr tuner_option_info kOptions[] = {{"step", "1", "how far", "integer 1 to 10"}};
};

struct BadDefault : Idle {
  using Idle::Idle;
  static constexpr const char* kName = "bad-default";
  static constexpr tuner_option_info kOptions[] = {{"step", "0", "how far", "integer 1..10"}};
};

}  // namespace

TUNER_PLUGIN("odd_options", "1", sdk::Strategies<Twice, Riddle, BadDefault>);
