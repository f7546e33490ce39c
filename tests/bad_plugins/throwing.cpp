// Classes that throw from everywhere, also things that are no std::exception.
#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

struct ThrowingMaker : sdk::Strategy {
  static constexpr const char* kName = "throwing-maker";
  static constexpr const char* kSummary = "cannot be made";
  explicit ThrowingMaker(const sdk::StrategySetup&) { throw std::runtime_error("not today"); }
  std::vector<sdk::Index> ask(std::size_t) override { return {}; }
  void tell(const sdk::Observation&) override {}
};

struct ThrowingAsker : sdk::Strategy {
  static constexpr const char* kName = "throwing-asker";
  static constexpr const char* kSummary = "throws an int";
  explicit ThrowingAsker(const sdk::StrategySetup&) {}
  std::vector<sdk::Index> ask(std::size_t) override { throw 42; }
  void tell(const sdk::Observation&) override { throw std::bad_alloc(); }
};

struct Absent : sdk::Compiler {
  static constexpr const char* kName = "absent";
  static constexpr const char* kSummary = "its library is not there";
  Absent() { throw sdk::Error(TUNER_UNSUPPORTED, "libabsent.so.1 not found"); }
  std::string identity() override { return ""; }
  sdk::CompileResult compile(const sdk::CompileRequest&) override { return {}; }
};

}  // namespace

TUNER_PLUGIN("throwing", "1", sdk::Strategies<ThrowingMaker, ThrowingAsker>,
             sdk::Compilers<Absent>);
