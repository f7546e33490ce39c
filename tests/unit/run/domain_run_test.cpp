// A domain tuned on a device that is a script.

#include <set>

#include "run_fixture.h"
#include "tuner/run/device_run.h"

namespace tuner::test {
namespace {

class DomainRunTest : public RunTest {
 protected:
  DomainRunTest() {
    study.domain = SizeDomain{{{"n", 1, 100000}}, {{Expression(), 1}}};
    study.search.until_loss = 0;
    study.measure.finalists = 0;
    // Large blocks for large sizes; one configuration is never the best.
    device.milliseconds = [](const Configuration& c, const ProblemSize& size) {
      const bool large = size.dims[0].second > 1000;
      return (number(c[0]) == (large ? 128 : 64) ? 1.0 : 2.0) +
             0.1 * static_cast<double>(number(c[1]));
    };
  }

  std::vector<SizeOutcome> tune_all(const Budget& budget) {
    study.search.budget = budget;
    return with_run([&](DeviceRun& run) {
      return tune_domain(
          run, 1, seconds += 1, [this] { return seconds += 1; },
          [this](const SizeOutcome& outcome) { labels.insert(outcome.results.size.label()); });
    });
  }
  static Budget evaluations(std::uint64_t count) { return {count, {}}; }

  double seconds = 0;
  std::set<std::string> labels;
};

TEST_F(DomainRunTest, TheEvaluationsAreForAllSizes) {
  const auto outcomes = tune_all(evaluations(30));
  EXPECT_EQ(count_measured(), 30U);
  EXPECT_GE(outcomes.size(), 3U);
  EXPECT_EQ(labels.size(), outcomes.size());
  for (const SizeOutcome& one : outcomes) EXPECT_TRUE(std::filesystem::exists(one.csv_path));
  EXPECT_TRUE(heard.heard("evaluations, expected loss"));
}

TEST_F(DomainRunTest, WhatWonElsewhereIsMeasuredFirst) {
  tune_all(evaluations(60));
  std::set<std::string> sizes;
  for (std::size_t i = 0; i < device.measured.size(); ++i) {
    const auto& [size, configuration] = device.measured[i];
    if (!sizes.insert(size.label()).second || sizes.size() == 1) continue;
    EXPECT_EQ(number(configuration[1]), 1) << size.label();  // VEC=1 is the best everywhere
  }
  EXPECT_GE(sizes.size(), 3U);
}

TEST_F(DomainRunTest, TheSameRunAgainMeasuresNothingButTheStoredBest) {
  tune_all(evaluations(30));
  const std::size_t before = count_measured();
  tune_all(evaluations(30));
  EXPECT_LE(count_measured() - before, labels.size());  // one of each, to see if the device moved
}

TEST_F(DomainRunTest, ATimeIsForAllSizesToo) {
  Budget budget;
  budget.seconds = 20;  // the clock goes on by one each time that it is looked at
  EXPECT_LT(tune_all(budget).size(), 15U);
  EXPECT_TRUE(heard.heard("ended: 20 s"));
}

// The last size's search ends before one of its variants is right.
TEST_F(DomainRunTest, ASizeWithoutARightVariantWhenTheTimeIsUpWasOnlyBegun) {
  Budget budget;
  budget.seconds = 60;
  device.state = [&](const Configuration&) {
    return seconds < 40 ? TrialState::kOk : TrialState::kCorrectness;
  };
  device.on_measured = [&] {
    if (seconds >= 40) seconds += 1000;
  };
  const auto outcomes = tune_all(budget);
  ASSERT_FALSE(outcomes.empty());
  std::size_t begun = 0;
  for (const SizeOutcome& one : outcomes) {
    EXPECT_NE(one.any_valid, one.only_begun) << one.results.size.label();
    begun += one.only_begun ? 1 : 0;
  }
  EXPECT_EQ(begun, 1U);
  EXPECT_TRUE(heard.heard("only begun: the time was up before this size had a right variant"));
}

TEST_F(DomainRunTest, EachSizeHasOneFinalWhenAllSearchesAreDone) {
  study.measure.finalists = 2;
  std::size_t measured_before = 0;
  device.before_final = [&] {
    if (device.finals.empty()) measured_before = count_measured();
  };
  const auto outcomes = tune_all(evaluations(40));
  EXPECT_GE(measured_before, 30U);  // the rest crosses winners
  EXPECT_GE(device.finals.size(), outcomes.size());
  for (const SizeOutcome& one : outcomes) {
    EXPECT_TRUE(one.results.trials.front().final) << one.results.size.label();
  }
}

TEST_F(DomainRunTest, AnInterruptionEndsItWithWhatThereIs) {
  device.on_measured = [this] { interrupted = count_measured() >= 9; };
  const auto outcomes = tune_all(evaluations(1000));
  EXPECT_LE(outcomes.size(), 3U);
  EXPECT_TRUE(heard.heard("ended: interrupted"));
}

TEST_F(DomainRunTest, EndsWhereLittleIsToBeLost) {
  study.search.until_loss = 0.05;
  device.milliseconds = [](const Configuration&, const ProblemSize&) { return 1.0; };
  tune_all(evaluations(10000));
  EXPECT_LT(count_measured(), 200U);
  EXPECT_TRUE(heard.heard("below 5 %"));
}

}  // namespace
}  // namespace tuner::test
