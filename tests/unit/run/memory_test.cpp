// What is known of a size, in and beside the space that is searched.

#include "run_fixture.h"
#include "tuner/history/size_history.h"

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

}  // namespace
}  // namespace tuner::test
