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

struct ThrowingProblem : sdk::Problem {
  static constexpr const char* kName = "throwing-problem";
  static constexpr const char* kSummary = "throws wherever it may";
  explicit ThrowingProblem(const sdk::ProblemSetup& setup) { setup.extent("N"); }
  void fill(std::uint32_t, const sdk::ArrayToWrite&) override { throw 42; }
  sdk::Judgement judge(std::uint32_t, const sdk::Array& actual, const sdk::Array&) override {
    return {actual.as<double>()[0] == 0, 0, ""};
  }
};

struct ThrowingObserver : sdk::Observer {
  static constexpr const char* kName = "throwing-observer";
  static constexpr const char* kSummary = "throws, then gives too little";
  static constexpr tuner_value_info kValues[] = {{"one", "", ""}, {"two", "", ""}};
  void begin(const tuner_observed&) override { throw std::bad_alloc(); }
  std::vector<double> end(const tuner_observed&) override { return {1}; }
};

}  // namespace

TUNER_PLUGIN("throwing", "1", sdk::Strategies<ThrowingMaker, ThrowingAsker>, sdk::Compilers<Absent>,
             sdk::Problems<ThrowingProblem>, sdk::Observers<ThrowingObserver>);
