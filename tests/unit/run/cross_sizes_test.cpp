// The winner of each size tried at the others.

#include "run_fixture.h"
#include "tuner/run/device_run.h"

namespace tuner::test {
namespace {

class CrossSizesTest : public RunTest {
 protected:
  CrossSizesTest() {
    study.sizes = {{{{"n", 1000}}}, {{{"n", 9000}}}};
    // Each search tries the first three only; small sizes like small VEC.
    study.search.budget.evaluations = 3;
    settings.warm_start = false;
    device.milliseconds = [](const Configuration& c, const ProblemSize& size) {
      const bool small = size.dims.front().second < 5000;
      const auto vec = static_cast<double>(number(c[1]));
      return (small ? vec : 8 / vec) + (number(c[0]) == 64 ? 0 : 0.001);
    };
  }

  struct Crossed {
    std::vector<SizeOutcome> outcomes;
    std::vector<std::size_t> replaced;
  };
  Crossed cross(const std::vector<ProblemSize>& sizes) {
    return with_run([&](DeviceRun& run) {
      Crossed crossed;
      for (const ProblemSize& size : sizes) crossed.outcomes.push_back(run.tune(size));
      measured_by_search = device.measured.size();
      before_cross();
      crossed.replaced = cross_sizes(run, crossed.outcomes);
      return crossed;
    });
  }
  std::size_t measured_by_cross() const { return device.measured.size() - measured_by_search; }

  std::size_t measured_by_search = 0;
  std::function<void()> before_cross = [] {};
};

TEST_F(CrossSizesTest, EveryWinnerIsTriedAlreadyWhereTheSearchesTriedTheSame) {
  const Crossed crossed = cross(study.sizes);
  EXPECT_TRUE(crossed.replaced.empty());
  EXPECT_TRUE(heard.heard("every winner was tried already"));
}

TEST_F(CrossSizesTest, AWinnerIsTriedWhereItWasNotAndBeyondTheBudget) {
  tune(study.sizes[0]);
  study.constraints.push_back(expr("BLOCK == 128"));
  tune(study.sizes[1]);
  study.constraints.clear();
  study.search.budget.evaluations = 0;
  const Crossed crossed = cross(study.sizes);
  EXPECT_FALSE(crossed.replaced.empty());
  EXPECT_GT(measured_by_cross(), 0U);
  EXPECT_TRUE(heard.heard("beyond the budget"));
  for (const SizeOutcome& outcome : crossed.outcomes) EXPECT_GE(outcome.results.ranked, 4U);
}

TEST_F(CrossSizesTest, AWinnerThatAnotherSizeForbidsIsNotTriedThere) {
  study.constraints.push_back(expr("n < 5000 or BLOCK == 128"));
  const Crossed crossed = cross(study.sizes);
  for (const auto& [size, configuration] : device.measured) {
    EXPECT_TRUE(size == study.sizes[0] || number(configuration[0]) == 128);
  }
  EXPECT_EQ(crossed.outcomes.size(), 2U);
}

TEST_F(CrossSizesTest, WinnersOfSizesThatThisRunDoesNotTuneCount) {
  study.search.budget.evaluations.reset();
  tune(study.sizes[1]);  // its winner is VEC=4
  study.constraints.push_back(expr("n > 5000 or VEC == 1"));
  tune(study.sizes[0]);
  study.constraints.clear();
  study.search.budget.evaluations = 0;
  const Crossed crossed = cross({study.sizes[0]});
  ASSERT_FALSE(crossed.replaced.empty());
  EXPECT_GE(measured_by_cross(), 1U);
}

TEST_F(CrossSizesTest, AnInterruptionBeforeItMeasuresNothing) {
  study.constraints.push_back(expr("n < 5000 or BLOCK == 128"));
  study.search.budget.evaluations.reset();
  tune(study.sizes[0]);
  study.constraints.clear();
  study.search.budget.evaluations = 1;
  before_cross = [this] { interrupted = true; };
  const Crossed crossed = cross({study.sizes[1]});
  EXPECT_TRUE(crossed.replaced.empty());
  EXPECT_EQ(measured_by_cross(), 0U);
}

TEST_F(CrossSizesTest, ALostDeviceEndsItAndIsTold) {
  study.search.budget.evaluations.reset();
  tune(study.sizes[0]);  // its winner is VEC=1
  study.search.budget.evaluations = 1;
  study.constraints.push_back(expr("n < 5000 or VEC == 4"));
  tune(study.sizes[1]);
  study.constraints.clear();
  study.search.budget.evaluations = 0;
  before_cross = [this] { device.lost_after = device.measured.size(); };
  const Crossed crossed = cross({study.sizes[1]});
  ASSERT_FALSE(crossed.replaced.empty());
  EXPECT_EQ(crossed.outcomes.front().lost, "it fell off the bus");
}

}  // namespace
}  // namespace tuner::test
