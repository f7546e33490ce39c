// What is known of a size, in and beside the space that is searched.

#include "run_fixture.h"
#include "tuner/run/trial_memory.h"
#include "tuner/run/usage.h"

namespace tuner::test {
namespace {

Trial known(std::int64_t block, std::int64_t vec) {
  Trial trial;
  trial.configuration = config(block, vec);
  return trial;
}

SearchSpace space_with(const std::string& constraint) {
  Study study = scale_study();
  study.constraints.push_back(expr(constraint));
  return SearchSpace::build(space_definition(study, study.sizes.front(), h200()));
}

TEST(TrialMemory, WhatBelongsToTheSpaceGetsItsIndex) {
  const SearchSpace space = space_with("BLOCK == 128");
  const TrialMemory memory({known(64, 1), known(128, 2)});
  const auto inside = memory.in(space);
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside.front().configuration, config(128, 2));
  EXPECT_EQ(inside.front().index, *space.index_of(config(128, 2)));
}

TEST(TrialMemory, WhatDoesNotComesBehindTheSpaceInTheSameOrderEachTime) {
  const SearchSpace space = space_with("BLOCK == 128");
  const TrialMemory memory({known(64, 4), known(64, 1), known(128, 2)});
  std::vector<Trial> trials;
  memory.add_outsiders(space, trials);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].configuration, config(64, 1));
  EXPECT_EQ(trials[0].index, space.size());
  EXPECT_EQ(trials[1].index, space.size() + 1);
}

TEST(TrialMemory, WhatTheRunCameByItselfIsNotAddedTwice) {
  const SearchSpace space = space_with("BLOCK == 128");
  const TrialMemory memory({known(128, 1), known(128, 2)});
  Trial own = known(128, 1);
  own.index = *space.index_of(own.configuration);
  std::vector<Trial> trials{own};
  memory.add_others(space, trials);
  EXPECT_EQ(trials.size(), 2U);
}

TEST(TrialMemory, FinalistsOfTodayAreNotEarlierOnes) {
  Trial then = known(64, 1);
  then.final.emplace().samples = {1, 2};
  Trial both = known(64, 2);
  both.final.emplace().samples = {1, 2};
  const TrialMemory memory({then, both, known(64, 4)});
  const auto earlier = memory.earlier_finalists({both});
  ASSERT_EQ(earlier.size(), 1U);
  EXPECT_EQ(earlier.front().configuration, config(64, 1));
  EXPECT_FALSE(earlier.front().final);
}

TEST(TrialMemory, WhatIsReplacedIsKnownAsItIsNow) {
  TrialMemory memory({known(128, 1)});
  Trial now = known(128, 1);
  now.state = TrialState::kRuntime;
  memory.replace(now);
  const auto inside = memory.in(space_with("BLOCK == 128"));
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside.front().state, TrialState::kRuntime);
}

TEST(Usage, SharesAreOfThisRunAlone) {
  DeviceScript script;
  script.load = {4, 100, 50, 0};  // from before
  const FakeDevice device(script);
  Usage usage(device);
  script.load = {4, 104, 55, 1};
  Trial trial;
  trial.cost_seconds = 1;
  usage.trial(trial, 0.5);
  const std::string text = usage.text(10);
  EXPECT_NE(text.find("first result after 0.50 s, 10.0 s in all"), std::string::npos) << text;
  EXPECT_NE(text.find("4 compile workers 10 %, device 50 %"), std::string::npos) << text;
}

TEST(Usage, SaysWhatWasBusyNearlyAllTheTime) {
  DeviceScript script;
  script.load = {4, 0, 0, 0};
  const FakeDevice device(script);
  Usage usage(device);
  EXPECT_EQ(usage.bound(10), "") << "nothing was run";
  Trial trial;
  usage.trial(trial, 0.5);
  script.load = {4, 36, 5, 1};
  EXPECT_EQ(usage.bound(10), "compiling, 4 workers 90 % busy");
  script.load = {4, 36, 9.5, 1};
  EXPECT_EQ(usage.bound(10), "the device, 95 % busy");
  EXPECT_EQ(usage.bound(100), "");
}

TEST(Usage, WhatTheStoreAnswersIsNoWork) {
  DeviceScript script;
  const FakeDevice device(script);
  Usage usage(device);
  Trial trial;
  trial.from_store = true;
  usage.trial(trial, 0.5);
  EXPECT_EQ(usage.text(10), "");
}

TEST(Usage, TimeForDroppedVariantsIsToldWithoutTheirCompilation) {
  DeviceScript script;
  const FakeDevice device(script);
  Usage usage(device);
  script.load = {1, 0, 10, 0};
  Trial dropped;
  dropped.state = TrialState::kDropped;
  dropped.cost_seconds = 7;
  dropped.compile_ms = 2000;
  usage.trial(dropped, 1);
  EXPECT_NE(usage.text(10).find("of that 50 % for variants that were dropped"), std::string::npos);
}

TEST(Usage, ADriftIsToldFromThreeHundredthsOn) {
  EXPECT_EQ(drift_text({0.98, 1.02}), "");
  EXPECT_NE(drift_text({0.99, 1.1}).find("-1.0 % to +10.0 %"), std::string::npos);
  EXPECT_NE(drift_text({0.9, 1}), "");
}

TEST(Usage, VariantsThatAreOneProgramAreCounted) {
  EXPECT_EQ(twins_text(0), "");
  EXPECT_NE(twins_text(12).find("12 not run"), std::string::npos);
}

}  // namespace
}  // namespace tuner::test
