// What a search is told of other sizes, other devices and recordings.

#include "run_fixture.h"
#include "tuner/files/recording_reader.h"
#include "tuner/history/size_history.h"

namespace tuner::test {
namespace {

ContextKey key(std::int64_t n) {
  ContextKey key;
  key.kernel = "scale";
  key.device = h200();
  key.size = {{{"n", n}}};
  key.parameters = {"BLOCK", "VEC"};
  key.identity = {{"source", "a"}, {"options", "b"}};
  return key;
}

// Of a place that differs in what `change` changes.
template <typename Change>
double likeness_after(Change change) {
  ContextKey other = key(1);
  change(other);
  return likeness(key(1), other);
}

TEST(Likeness, TheSamePlaceIsAlikeInEverything) { EXPECT_EQ(likeness(key(1), key(1)), 1); }

TEST(Likeness, EachBinaryOrderOfASizeMakesItLess) {
  EXPECT_DOUBLE_EQ(likeness(key(1000), key(2000)), 0.9);
  EXPECT_DOUBLE_EQ(likeness(key(4000), key(1000)), 0.9 * 0.9);
}

TEST(Likeness, AnotherDeviceMakesItLessAndAnotherArchitectureMore) {
  const double name_only = likeness_after([](ContextKey& key) { key.device.name = "NVIDIA A100"; });
  const double both = likeness_after([](ContextKey& key) {
    key.device.name = "NVIDIA A100";
    key.device.arch = "sm_80";
  });
  EXPECT_LT(name_only, 1);
  EXPECT_LT(both, name_only);
}

TEST(Likeness, AChangedSourceMakesItALittleLess) {
  EXPECT_DOUBLE_EQ(likeness_after([](ContextKey& key) { key.identity[0].second = "c"; }), 0.9);
}

TEST(Likeness, AnotherKernelOrBackendHasNothingInCommon) {
  EXPECT_EQ(likeness_after([](ContextKey& key) { key.kernel = "copy"; }), 0);
  EXPECT_EQ(likeness_after([](ContextKey& key) { key.device.backend = "another"; }), 0);
}

TEST(Likeness, ADimensionThatOnlyOneHasCountsAsAnOrder) {
  EXPECT_DOUBLE_EQ(likeness_after([](ContextKey& key) { key.size.dims.emplace_back("batch", 8); }),
                   0.9);
}

class WarmStartTest : public RunTest {
 protected:
  WarmStartTest() {
    study.parameters[1].values.push_back(std::int64_t{8});  // eight configurations
    study.sizes = {
        {{{"n", 1000}}}, {{{"n", 2000}}}, {{{"n", 4000}}}, {{{"n", 8000}}}, {{{"n", 16000}}}};
  }
};

TEST_F(WarmStartTest, ResultsOfAnotherSizeAreTold) {
  tune(study.sizes[0]);
  EXPECT_TRUE(learnt.empty());
  tune(study.sizes[1]);
  ASSERT_FALSE(learnt.empty());
  EXPECT_EQ(learnt.front().results.size(), 8U);
  EXPECT_TRUE(heard.heard("the search starts from 8 results of n1000 on Fake GPU"));
}

TEST_F(WarmStartTest, TheBestOfTheOtherPlaceHasNoLoss) {
  tune(study.sizes[0]);
  tune(study.sizes[1]);
  ASSERT_FALSE(learnt.empty());
  const auto& results = learnt.front().results;
  const auto best = std::ranges::min_element(results, {}, &PriorResult::loss);
  EXPECT_EQ(best->loss, 0);
  EXPECT_EQ(best->index, 7U);  // BLOCK=128 VEC=8
}

TEST_F(WarmStartTest, ItCanBeSwitchedOff) {
  tune(study.sizes[0]);
  settings.warm_start = false;
  tune(study.sizes[1]);
  EXPECT_TRUE(learnt.empty());
}

TEST_F(WarmStartTest, FewResultsSayNothing) {
  study.search.budget.evaluations = 7;
  tune(study.sizes[0]);
  tune(study.sizes[1]);
  EXPECT_TRUE(learnt.empty());
}

TEST_F(WarmStartTest, TheThreeMostAlikeAreToldMostAlikeFirst) {
  for (std::size_t i = 1; i < 5; ++i) tune(study.sizes[i]);
  learnt.clear();
  tune(study.sizes[0]);
  ASSERT_GE(learnt.size(), 3U);
  EXPECT_GT(learnt[0].likeness, learnt[1].likeness);
  EXPECT_GT(learnt[1].likeness, learnt[2].likeness);
  EXPECT_TRUE(heard.heard("of n2000 on Fake GPU, 8 results of n4000"));
}

TEST_F(WarmStartTest, ResultsThatAnswerDirectlyAreNoPrior) {
  tune(study.sizes[0]);
  tune(study.sizes[0]);
  EXPECT_TRUE(learnt.empty());
}

TEST_F(WarmStartTest, ARecordingIsToldBesideTheStore) {
  settings.warm_recording = parse_recording(
      R"({"kernel_name": "scale", "tune_params_keys": ["BLOCK", "VEC"],
          "tune_params": {"BLOCK": [64, 128], "VEC": [1, 2]},
          "cache": {"64,1": {"BLOCK": 64, "VEC": 1, "time": 4.0},
                    "128,2": {"BLOCK": 128, "VEC": 2, "time": 2.0}}})",
      "older.json");
  tune(study.sizes[0]);
  ASSERT_EQ(learnt.size(), 1U);
  EXPECT_EQ(learnt.front().results.size(), 2U);
  EXPECT_TRUE(heard.heard("2 results of 'older.json'"));
}

}  // namespace
}  // namespace tuner::test
