// A search of one size from the space to the CSV, interrupted and with a device that gets lost.

#include "tuner/run/device_run.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "run_fixture.h"

namespace tuner::test {
namespace {

using DeviceRunTest = RunTest;

TEST_F(DeviceRunTest, EveryConfigurationIsMeasuredAndTheFastestRanksFirst) {
  const SizeOutcome outcome = tune();
  EXPECT_EQ(outcome.measured, 6U);
  EXPECT_EQ(outcome.results.ranked, 6U);
  EXPECT_EQ(winner(outcome), config(128, 4));
  EXPECT_TRUE(outcome.any_valid);
  EXPECT_FALSE(outcome.interrupted);
}

TEST_F(DeviceRunTest, TheBudgetEndsTheSearch) {
  study.search.budget.evaluations = 2;
  const SizeOutcome outcome = tune();
  EXPECT_EQ(count_measured(), 2U);
  EXPECT_EQ(outcome.results.trials.size(), 2U);
}

// Asks one after the other, and writes down how many compile workers it hears of.
class Listening final : public InOrder {
 public:
  Listening(std::uint64_t size, std::vector<Prior>& learnt, std::vector<std::size_t>& workers)
      : InOrder(size, learnt), workers_(workers) {}
  std::vector<ConfigIndex> ask(std::size_t) override { return InOrder::ask(1); }
  void notice(const MachineState& machine) override { workers_.push_back(machine.compile_workers); }

 private:
  std::vector<std::size_t>& workers_;
};

TEST_F(DeviceRunTest, TheStrategyHearsOfTheMachineBeforeEachQuestion) {
  std::vector<std::size_t> workers;
  make_strategy = [&](const SearchSpace& space) {
    return std::make_unique<Listening>(space.size(), learnt, workers);
  };
  device.machine = MachineState{.compile_workers = 7};
  EXPECT_EQ(tune().measured, 6U);
  ASSERT_GE(workers.size(), 6U);
  EXPECT_EQ(workers, std::vector<std::size_t>(workers.size(), 7U));
}

TEST_F(DeviceRunTest, TheTotalIsTheBudgetWhereThatIsSmaller) {
  tune();
  EXPECT_EQ(heard.parts.front().total, "6");
  settings.fresh = true;
  study.search.budget.evaluations = 4;
  tune();
  EXPECT_EQ(heard.parts.back().total, "4");
}

TEST_F(DeviceRunTest, TheTitleNamesKernelDeviceAndSize) {
  tune();
  EXPECT_EQ(heard.parts.front().title, "scale on Fake GPU, n1000: 6 valid configurations of 6");
  EXPECT_TRUE(heard.parts.front().is_search);
}

TEST_F(DeviceRunTest, TheCsvAndTheDevicesFactsAreWritten) {
  const SizeOutcome outcome = tune();
  EXPECT_EQ(csv_of(outcome).rfind("rank,state,BLOCK,VEC,n,time_ms", 0), 0U);
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(outcome.csv_path).parent_path() /
                                      "device.json"));
}

TEST_F(DeviceRunTest, ATrialIsCommittedBeforeTheListenerHearsOfIt) {
  std::vector<std::size_t> there;
  heard.on_trial = [&](const Trial&) { there.push_back(stored().size()); };
  tune();
  EXPECT_EQ(there, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(DeviceRunTest, TheListenerHearsOfEachTrialOnceAndOfTheEnd) {
  tune();
  EXPECT_EQ(heard.trials.size(), 6U);
  EXPECT_EQ(heard.ends, 1);
  EXPECT_TRUE(heard.heard("ended: "));
}

TEST_F(DeviceRunTest, EachTrialKeepsTheTimeThatTheReferenceTookInItsRun) {
  tune();
  for (const Trial& trial : stored()) EXPECT_EQ(trial.reference_ms, std::nullopt);
  settings.fresh = true;
  device.reference_ms = 7;
  tune();
  ASSERT_EQ(stored().size(), 6U);
  for (const Trial& trial : stored()) EXPECT_EQ(trial.reference_ms, 7);
}

TEST_F(DeviceRunTest, AFailingConfigurationIsDataAndDoesNotEndTheRun) {
  device.state = [](const Configuration& c) {
    return number(c[0]) == 128 ? TrialState::kRuntime : TrialState::kOk;
  };
  const SizeOutcome outcome = tune();
  EXPECT_EQ(outcome.results.ranked, 3U);
  EXPECT_EQ(outcome.results.trials.size(), 6U);
  EXPECT_EQ(winner(outcome), config(64, 4));
}

TEST_F(DeviceRunTest, NothingValidIsSaid) {
  device.state = [](const Configuration&) { return TrialState::kCorrectness; };
  const SizeOutcome outcome = tune();
  EXPECT_FALSE(outcome.any_valid);
  EXPECT_EQ(outcome.results.ranked, 0U);
  EXPECT_TRUE(device.finals.empty());
}

TEST_F(DeviceRunTest, WhatIsDroppedIsValidButNeverFirst) {
  device.state = [](const Configuration& c) {
    return c == config(128, 4) ? TrialState::kDropped : TrialState::kOk;
  };
  const SizeOutcome outcome = tune();
  EXPECT_EQ(outcome.results.ranked, 6U);
  EXPECT_EQ(winner(outcome), config(128, 2));
}

TEST_F(DeviceRunTest, ASizeThatNoConfigurationFitsIsAnInputError) {
  study.launch.block[0] = expr("BLOCK - 200");  // no block has so few threads
  EXPECT_THROW(tune(), InputError);
}

TEST_F(DeviceRunTest, AnOptionThatTheStrategyRefusesIsAnInputError) {
  make_strategy = [](const SearchSpace&) -> std::unique_ptr<Strategy> {
    throw InputError(Complaint{{}, "no such option", ""});
  };
  EXPECT_THROW(tune(), InputError);
}

TEST_F(DeviceRunTest, AnArgumentThatCannotBePlannedIsAnInputError) {
  study.arguments[0].shape = {expr("n - 2000")};
  EXPECT_THROW(tune(), InputError);
}

TEST_F(DeviceRunTest, WarningsOfThePreparationArePassedOn) {
  device.warnings = {"the reference leaves nothing but zeros"};
  tune();
  EXPECT_TRUE(heard.heard("  warning: the reference leaves nothing but zeros"));
}

TEST_F(DeviceRunTest, ListedConfigurationsAreMeasuredInTheirOrder) {
  const auto outcome = with_run([&](DeviceRun& run) {
    return run.measure(study.sizes.front(), {config(128, 1), config(64, 2), config(7, 7)},
                       "winners", true);
  });
  ASSERT_EQ(count_measured(), 2U);  // the third is not of the space
  EXPECT_EQ(device.measured[0].second, config(128, 1));
  EXPECT_EQ(device.measured[1].second, config(64, 2));
  EXPECT_EQ(outcome.measured, 2U);
  EXPECT_FALSE(heard.parts.front().is_search);
}

TEST_F(DeviceRunTest, AnInterruptionEndsTheSearchAndRanksWhatIsThere) {
  interrupt_after(2);
  const SizeOutcome outcome = tune();
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(outcome.results.trials.size(), 2U);
  EXPECT_TRUE(device.finals.empty());
  EXPECT_FALSE(csv_of(outcome).empty());
}

TEST_F(DeviceRunTest, WhatAnInterruptionCutsShortIsNotBlamed) {
  device.capacity = 1;
  device.cut_short = true;
  device.on_measured = [this] { interrupted = count_measured() == 2; };
  tune();
  device.cut_short = false;
  tune_undisturbed();
  for (const Trial& trial : stored()) EXPECT_EQ(trial.state, TrialState::kOk);
}

TEST_F(DeviceRunTest, AfterAnInterruptionTheSameCommandMeasuresTheRest) {
  interrupt_after(2);
  tune();
  const SizeOutcome outcome = tune_undisturbed();
  EXPECT_EQ(outcome.results.ranked, 6U);
  EXPECT_EQ(count_measured(), 2U + 1U + 4U);  // the stored best once more, and the other four
}

TEST_F(DeviceRunTest, ALostDeviceLeavesARankingOfWhatWasMeasured) {
  device.capacity = 1;
  device.lost_after = 3;
  const SizeOutcome outcome = tune();
  EXPECT_EQ(outcome.lost, "it fell off the bus");
  EXPECT_EQ(outcome.results.ranked, 3U);
  EXPECT_EQ(stored().size(), 3U);
  EXPECT_TRUE(device.finals.empty());
}

TEST_F(DeviceRunTest, ADeviceThatIsLostInTheFinalLeavesTheSearch) {
  device.lost_in_final = true;
  device.milliseconds = [](const Configuration& c, const ProblemSize&) {
    return 10 + 0.01 * static_cast<double>(number(c[1]));
  };
  const SizeOutcome outcome = tune();
  EXPECT_EQ(outcome.lost, "it fell off the bus");
  EXPECT_EQ(outcome.results.ranked, 6U);
}

TEST_F(DeviceRunTest, ADeviceThatIsLostBeforeTheFirstTrialLeavesAnEmptyRanking) {
  device.lost_after = 0;
  const SizeOutcome outcome = tune();
  EXPECT_FALSE(outcome.lost.empty());
  EXPECT_FALSE(outcome.any_valid);
  EXPECT_TRUE(outcome.results.trials.empty());
}

TEST_F(DeviceRunTest, ADatabaseThatIsRemovedEndsTheSearchWithACsv) {
  device.capacity = 1;
  device.on_measured = [this] {
    if (count_measured() == 3) std::filesystem::remove(folder.path() / "tuner.sqlite");
  };
  const SizeOutcome outcome = tune();
  EXPECT_TRUE(outcome.store_gone);
  EXPECT_EQ(outcome.results.ranked, 3U);
  EXPECT_TRUE(device.finals.empty());
  EXPECT_TRUE(heard.heard("the database of the results is gone"));
}

TEST_F(DeviceRunTest, TheRankingSaysThatAnOutputIsNotVerified) {
  EXPECT_EQ(tune().results.unverified, "");  // the reference computes y
  study.reference.reset();
  EXPECT_EQ(tune().results.unverified, "nothing verifies 'y'");
}

TEST_F(DeviceRunTest, TheRankingNamesDeviceCompilerAndDate) {
  const RankedResults results = tune().results;
  EXPECT_EQ(results.device.name, "Fake GPU");
  EXPECT_EQ(results.compiler, "fake compiler 1");
  ASSERT_EQ(results.date.size(), 20U);  // 2026-01-31T12:00:00Z
  EXPECT_EQ(results.date[10], 'T');
  EXPECT_EQ(results.date[19], 'Z');
}

TEST_F(DeviceRunTest, WhatIsNotDoneWhenTheTimeIsUpIsCancelledAndTheNextRunTakesItUp) {
  study.search.budget.seconds = 4;
  device.seconds = 1.5;
  const SizeOutcome first = tune();
  EXPECT_EQ(first.measured, 2U);
  EXPECT_GT(device.cancelled, 0U);
  EXPECT_EQ(stored().size(), 2U) << "what was cancelled is no failure";
  EXPECT_TRUE(heard.heard("  ended: 4 seconds"));
  EXPECT_TRUE(
      heard.heard("  cancelled to end in time: 4 configurations; the same command resumes with "
                  "them"));
  EXPECT_LE(first.seconds, 4);
  EXPECT_FALSE(first.csv_path.empty());
  study.search.budget.seconds.reset();
  const SizeOutcome second = tune();
  EXPECT_EQ(second.results.ranked, 6U);
}

TEST_F(DeviceRunTest, ABudgetShorterThanOneCompilationLeavesNothingAndSaysSo) {
  study.search.budget.seconds = 3;
  device.seconds = 20;
  const SizeOutcome outcome = tune();
  EXPECT_FALSE(outcome.any_valid);
  EXPECT_TRUE(outcome.csv_path.empty());
  EXPECT_TRUE(stored().empty());
  EXPECT_TRUE(
      heard.heard("  nothing was compiled in time; 4 configurations were cancelled after 3 "
                  "seconds: allow more with --budget"));
  EXPECT_LE(outcome.seconds, 3);
}

TEST_F(DeviceRunTest, WhatOpeningTheDeviceTookCountsInTheBudget) {
  study.search.budget.seconds = 10;
  device.seconds = 1;
  SizeOptions options;
  options.spent = 8.5;
  const SizeOutcome outcome =
      with_run([&](DeviceRun& run) { return run.tune(study.sizes.front(), options); });
  EXPECT_EQ(outcome.measured, 1U);
  EXPECT_LE(outcome.seconds, 10);
}

TEST_F(DeviceRunTest, GivenConfigurationsAreMeasuredWithinTheirSeconds) {
  device.seconds = 1;
  const std::vector<Configuration> all{config(64, 1), config(64, 2), config(128, 1),
                                       config(128, 2)};
  const SizeOutcome outcome = with_run(
      [&](DeviceRun& run) { return run.measure(study.sizes.front(), all, "four", false, 2.8); });
  EXPECT_EQ(outcome.measured, 2U);
  EXPECT_EQ(device.cancelled, 2U);
}

}  // namespace
}  // namespace tuner::test
