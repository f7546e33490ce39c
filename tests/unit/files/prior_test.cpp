#include <gtest/gtest.h>

#include <cmath>

#include "tuner/files/recording.h"
#include "tuner/files/recording_reader.h"
#include "tuner/files/replay.h"

namespace tuner {
namespace {

constexpr const char* kElsewhere =
    R"({"device_name": "A", "kernel_name": "k", "objective": "time",
 "tune_params_keys": ["y", "x", "mode"],
 "tune_params": {"y": [0, 1], "x": [4, 2, 1], "mode": ["fast"]},
 "cache": {
  "0,1,fast": {"y": 0, "x": 1, "mode": "fast", "time": 5.0},
  "0,2,fast": {"y": 0, "x": 2, "mode": "fast", "time": 3.0},
  "0,4,fast": {"y": 0, "x": 4, "mode": "fast", "time": 2.0},
  "1,1,fast": {"y": 1, "x": 1, "mode": "fast", "time": "CompilationFailedConfig"}}})";

// Other order of names and values, x = 8 instead of 4, and a constant parameter more.
constexpr const char* kHere =
    R"({"device_name": "B", "kernel_name": "k", "objective": "time",
 "tune_params_keys": ["x", "y", "pad"],
 "tune_params": {"x": [1, 2, 8], "y": [0, 1], "pad": [3]},
 "cache": {
  "1,0,3": {"x": 1, "y": 0, "pad": 3, "time": 1.0},
  "2,0,3": {"x": 2, "y": 0, "pad": 3, "time": 1.0},
  "8,0,3": {"x": 8, "y": 0, "pad": 3, "time": 1.0},
  "1,1,3": {"x": 1, "y": 1, "pad": 3, "time": 1.0}}})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

Prior prior_from(const std::string& elsewhere, bool maximize = false) {
  const Recording here = parse_recording(kHere, "here");
  const RecordedSpace space(here);
  return prior_of(parse_recording(elsewhere, "there"), maximize, prior_target(space), 0.5);
}

TEST(PriorOf, MatchesParametersByNameAndValuesByEquality) {
  const Prior prior = prior_from(kElsewhere);
  EXPECT_EQ(prior.likeness, 0.5);
  ASSERT_EQ(prior.results.size(), 3U);
  EXPECT_EQ(prior.results[0].index, 0);                          // x = 1, y = 0
  EXPECT_DOUBLE_EQ(prior.results[0].loss, std::log(5.0 / 2.0));  // the best lies outside
  EXPECT_EQ(prior.results[1].index, 1);
  EXPECT_DOUBLE_EQ(prior.results[1].loss, std::log(3.0 / 2.0));
  EXPECT_EQ(prior.results[2].index, 3);
  EXPECT_TRUE(std::isinf(prior.results[2].loss));
}

TEST(PriorOf, LargeIsGoodWhenMaximising) {
  const Prior prior = prior_from(kElsewhere, true);
  ASSERT_EQ(prior.results.size(), 3U);
  EXPECT_DOUBLE_EQ(prior.results[0].loss, 0);
  EXPECT_DOUBLE_EQ(prior.results[1].loss, std::log(5.0 / 3.0));
}

TEST(PriorOf, AParameterThatWasNotVariedThereGivesNothing) {
  EXPECT_TRUE(prior_from(replaced(kElsewhere, "\"x\"", "\"width\"")).results.empty());
}

TEST(PriorOf, OfAParameterThatIsGoneTheBestValueCounts) {
  const Prior prior = prior_from(R"({"tune_params_keys": ["x", "y", "gone"],
    "tune_params": {"x": [1, 2], "y": [0, 1], "gone": [0, 1]},
    "cache": {"1,0,0": {"x": 1, "y": 0, "gone": 0, "time": 8.0},
              "1,0,1": {"x": 1, "y": 0, "gone": 1, "time": 4.0},
              "2,0,1": {"x": 2, "y": 0, "gone": 1, "time": 2.0}}})");
  ASSERT_EQ(prior.results.size(), 2U);
  EXPECT_DOUBLE_EQ(prior.results[0].loss, std::log(2.0));
}

TEST(PriorOf, ObjectivesWithoutARatioGiveNothing) {
  Recording elsewhere = parse_recording(kElsewhere, "there");
  for (RecordedTrial& entry : elsewhere.entries) {
    if (entry.objective == 2.0) entry.objective = -2.0;
  }
  const Recording here = parse_recording(kHere, "here");
  const RecordedSpace space(here);
  EXPECT_TRUE(prior_of(elsewhere, false, prior_target(space), 0.5).results.empty());
}

}  // namespace
}  // namespace tuner
