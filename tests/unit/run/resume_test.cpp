// What a second run makes of what the first one left.

#include "run_fixture.h"
#include "tuner/history/size_history.h"
#include "tuner/model/bound.h"
#include "tuner/trust/counters.h"

namespace tuner::test {
namespace {

using ResumeTest = RunTest;

TEST_F(ResumeTest, ASecondRunMeasuresNothingAgain) {
  tune();
  const SizeOutcome again = tune();
  EXPECT_EQ(count_measured(), 6U);
  EXPECT_EQ(again.measured, 0U);
  EXPECT_FALSE(again.compared);
  EXPECT_EQ(again.results.ranked, 6U);
}

// Of counters that a device says it has it may have no figure, for a pipe that was not used say.
TEST_F(ResumeTest, CountersAreReadOnceAlsoWhereOneOfThemIsMissing) {
  settings.counters = true;
  device.counters = counters_of(study);
  device.counters.pop_back();
  tune();
  const SizeOutcome again = tune();
  EXPECT_EQ(device.counted.size(), 1U);
  EXPECT_TRUE(bound_of(again.results.trials[0].counters));
}

TEST_F(ResumeTest, CountersThatTheStudyAsksForLaterAreReadThen) {
  settings.counters = true;
  device.counters = counters_of(study);
  tune();
  study.counters = {{"read", "dram__bytes_read.sum"}};
  device.counters.emplace_back("dram__bytes_read.sum");
  tune();
  EXPECT_EQ(device.counted.size(), 2U);
}

TEST_F(ResumeTest, ARunThatAsksForMoreMeasuresTheStoredBestFirst) {
  study.search.budget.evaluations = 3;
  tune();
  study.search.budget.evaluations = 6;
  const SizeOutcome again = tune();
  EXPECT_TRUE(again.compared);
  EXPECT_EQ(device.measured[3].second, config(64, 4));  // the best of the first three
}

TEST_F(ResumeTest, ResultsOfAFasterDeviceAreMeasuredAgainBestFirst) {
  study.search.budget.evaluations = 3;
  tune();
  device.slower = 2;
  study.search.budget.evaluations = 6;
  const SizeOutcome again = tune();
  EXPECT_TRUE(heard.heard("the device is 2 times slower"));
  EXPECT_TRUE(heard.heard("2 stored results are measured again"));
  EXPECT_EQ(device.measured[3].second, config(64, 4));
  EXPECT_EQ(device.measured[4].second, config(64, 2));
  EXPECT_EQ(device.measured[5].second, config(64, 1));
  for (const Trial& trial : again.results.trials) EXPECT_FALSE(trial.outdated);
}

TEST_F(ResumeTest, ResultsOfAFasterDeviceAreReportedOnceAsTheyAreNow) {
  study.search.budget.evaluations = 3;
  tune();
  heard.trials.clear();
  device.slower = 2;
  study.search.budget.evaluations = 6;
  const SizeOutcome again = tune();
  EXPECT_EQ(heard.trials.size(), 6U);
  EXPECT_EQ(again.searched, 6U);
  EXPECT_EQ(again.measured, 6U);
}

TEST_F(ResumeTest, AStoredBestThatFailsNowIsNotReportedAsItWas) {
  study.search.budget.evaluations = 3;
  tune();
  heard.trials.clear();
  device.state = [](const Configuration& c) {
    return c == config(64, 4) ? TrialState::kRuntime : TrialState::kOk;
  };
  study.search.budget.evaluations = 6;
  tune();
  ASSERT_EQ(heard.trials.size(), 6U);
  for (const Trial& trial : heard.trials) {
    EXPECT_EQ(is_valid(trial), trial.configuration != config(64, 4));
  }
}

// A suspect that a budget of evaluations has left over is new, too.
TEST_F(ResumeTest, ASuspectIsMeasuredAfterTheComparison) {
  study.search.budget.evaluations = 3;
  tune();
  with_store(
      [](Store& store, const Context& context) { store.mark_in_flight(context, config(128, 1)); });
  device.slower = 2;
  study.search.budget.evaluations = 4;
  tune();
  EXPECT_EQ(device.measured[3].second, config(64, 4));
  EXPECT_EQ(device.measured.back().second, config(128, 1));
  EXPECT_EQ(count_measured(), 3U + 1U + 2U + 1U + 1U);  // best, outdated, a new one, the suspect
  for (const Trial& trial : stored()) EXPECT_FALSE(trial.outdated);
}

TEST_F(ResumeTest, FreshForgetsWhatIsStored) {
  tune();
  settings.fresh = true;
  const SizeOutcome again = tune();
  EXPECT_EQ(again.measured, 6U);
  EXPECT_EQ(count_measured(), 12U);
}

TEST_F(ResumeTest, AChangedSourceIsMeasuredAnew) {
  tune();
  with.source_digest = "source 2";
  EXPECT_EQ(tune().measured, 6U);
}

TEST_F(ResumeTest, AnotherCompilerOrDriverIsMeasuredAnew) {
  tune();
  with.compiler = "fake compiler 2";
  EXPECT_EQ(tune().measured, 6U);
  device.facts.driver = "999.9";
  EXPECT_EQ(tune().measured, 6U);
}

TEST_F(ResumeTest, AnOptionOfTheBackendIsAnotherMeasurement) {
  tune();
  with.backend_options = "order=random";
  EXPECT_EQ(tune().measured, 6U);
}

TEST_F(ResumeTest, ALongerListOfValuesKeepsWhatWasMeasured) {
  tune();
  study.parameters[1].values.push_back(std::int64_t{8});
  const SizeOutcome again = tune();
  EXPECT_EQ(again.measured, 2U);
  EXPECT_EQ(count_measured(), 6U + 2U + 1U);  // the stored best once more, as a comparison
  EXPECT_EQ(again.results.ranked, 8U);
}

TEST_F(ResumeTest, ASubsetKeepsTheRowsOfTheOthers) {
  tune();
  study.only.push_back(expr("BLOCK == 64"));
  const SizeOutcome subset = tune();
  EXPECT_EQ(subset.results.trials.size(), 6U);
  EXPECT_EQ(winner(subset), config(128, 4));
}

TEST_F(ResumeTest, ASubsetThatFitsNothingKeepsTheRanking) {
  const Configuration best = winner(tune());
  study.only.push_back(expr("BLOCK == 63"));
  const SizeOutcome subset = tune();
  EXPECT_EQ(subset.results.trials.size(), 6U);
  EXPECT_EQ(winner(subset), best);
  EXPECT_FALSE(subset.any_valid);
}

TEST_F(ResumeTest, WhatIsOutsideOfTheSubsetAgesWithTheDevice) {
  study.search.budget.evaluations = 4;
  tune();  // BLOCK 64 with all VEC, 128 with VEC 1
  study.only.push_back(expr("BLOCK == 128"));
  device.slower = 3;
  study.search.budget.evaluations.reset();
  const SizeOutcome subset = tune();
  EXPECT_TRUE(heard.heard("3 times slower"));
  std::size_t outdated = 0;
  for (const Trial& trial : subset.results.trials) outdated += trial.outdated ? 1 : 0;
  EXPECT_EQ(outdated, 3U);  // the three of BLOCK 64
}

TEST_F(ResumeTest, AChangedObjectiveRanksWhatIsStoredAnew) {
  study.metrics = {{"slowness", expr("VEC * 1.0")}};
  tune();
  study.objective = {"slowness", true, {}};
  EXPECT_EQ(number(winner(tune())[1]), 4);
  study.objective = {"slowness", false, {}};
  EXPECT_EQ(number(winner(tune())[1]), 1);
  EXPECT_EQ(count_measured(), 6U + 6U);  // slow variants are wanted: another way of measuring, once
}

TEST_F(ResumeTest, AConfigurationThatKillsTheRunTwiceIsBlamed) {
  for (int death = 0; death < Store::kMaxDeaths; ++death) {
    EXPECT_TRUE(heard.notes.empty());
    with_store([](Store& store, const Context& context) {
      store.mark_in_flight(context, config(128, 4));
    });
    if (death + 1 < Store::kMaxDeaths) {
      study.search.budget.evaluations = 0;
      tune();
      heard.notes.clear();
      study.search.budget.evaluations.reset();
    }
  }
  const SizeOutcome outcome = tune();
  EXPECT_TRUE(heard.heard("BLOCK=128 VEC=4: "));
  EXPECT_EQ(outcome.results.trials.back().state, TrialState::kRuntime);
  EXPECT_EQ(winner(outcome), config(128, 2));
}

TEST_F(ResumeTest, AnEarlierRightAnswerIsNotSuspectedWhenARunDies) {
  study.search.budget.evaluations = 3;
  tune();
  const SearchSpace space =
      SearchSpace::build(space_definition(study, study.sizes.front(), device.facts));
  for (int death = 0; death < Store::kMaxDeaths; ++death) {
    Store store = Store::open(folder.path());
    const History history(store, study, with);
    SizeHistory size(history, study, space, device.facts, study.sizes.front());
    size.announce(config(64, 4));  // known; the process ends here
  }
  for (const Trial& trial : stored()) EXPECT_EQ(trial.state, TrialState::kOk);
}

TEST_F(ResumeTest, WhatWasCompiledFromUnknownFilesAnswersOnce) {
  study.search.budget.evaluations = 2;
  tune();
  with_store([](Store& store, const Context& context) {
    Trial trial = store.trials(context).front();
    trial.sources_known = false;
    store.record(context, trial);
  });
  EXPECT_EQ(tune().measured, 1U);
}

TEST_F(ResumeTest, AFailureIsNotTriedAgain) {
  device.state = [](const Configuration& c) {
    return number(c[1]) == 4 ? TrialState::kCompile : TrialState::kOk;
  };
  tune();
  device.state = [](const Configuration&) { return TrialState::kOk; };
  const SizeOutcome again = tune();
  EXPECT_EQ(again.measured, 0U);
  EXPECT_EQ(again.results.ranked, 4U);
}

// Asks for what follows from the answers in their order, as a model does.
class Following final : public Strategy {
 public:
  explicit Following(std::uint64_t size) : size_(size) {}
  std::vector<ConfigIndex> ask(std::size_t) override {
    for (std::uint64_t step = 0; step < size_; ++step) {
      const std::uint64_t index = (last_ + step) % size_;
      if (asked_.insert(index).second) return {index};
    }
    return {};
  }
  void tell(const Observation& observation) override {
    last_ = 5 * last_ + static_cast<std::uint64_t>(observation.index) + 1;
  }

 private:
  std::uint64_t size_;
  std::uint64_t last_ = 0;
  std::set<std::uint64_t> asked_;
};

TEST_F(ResumeTest, ASearchThatIsDoneAsksTheSameAgainWhateverTheOrderOfItsAnswersWas) {
  make_strategy = [](const SearchSpace& space) {
    return std::make_unique<Following>(static_cast<std::uint64_t>(space.size()));
  };
  for (const std::uint64_t evaluations : {3U, 4U, 5U}) {
    settings.fresh = true;
    study.search.budget.evaluations = evaluations;
    device.newest_first = true;
    device.measured.clear();
    tune();
    EXPECT_EQ(count_measured(), evaluations);
    settings.fresh = false;
    device.newest_first = false;
    EXPECT_EQ(tune().measured, 0U);
    EXPECT_EQ(count_measured(), evaluations) << "not even the best is compared";
  }
}

TEST_F(ResumeTest, ALongerSearchGoesOnWhereTheShorterOneEnded) {
  make_strategy = [](const SearchSpace& space) {
    return std::make_unique<Following>(static_cast<std::uint64_t>(space.size()));
  };
  device.newest_first = true;
  device.capacity = 2;
  study.search.budget.evaluations = 3;
  tune();
  study.search.budget.evaluations = 5;
  EXPECT_EQ(tune().measured, 2U);
}

}  // namespace
}  // namespace tuner::test
