#include <gtest/gtest.h>

#include "tuner/base/error.h"
#include "tuner/files/recording.h"
#include "tuner/files/recording_reader.h"

namespace tuner {
namespace {

// Numbers written as text, and a parameter that does not vary.
constexpr const char* kNumbersAsText = R"({"device_name": "GPU", "kernel_name": "k",
 "tune_params_keys": ["x", "y", "mode"],
 "tune_params": {"x": ["1", "2"], "y": [0, 1], "mode": ["fast"]},
 "cache": {
  "1,0": {"x": "1", "y": 0, "mode": "fast", "time": 5.0, "times": [4.0, 6.0], "gflops": 7,
          "compile_time": 100, "benchmark_time": 50},
  "2,1": {"x": "2", "y": 1, "mode": "fast", "time": "CompilationFailedConfig"}}})";

Parameter numbers(const std::string& name, std::vector<std::int64_t> values) {
  return {name, {values.begin(), values.end()}, {}};
}

std::vector<Trial> own_trials_of(const Recording& recording) {
  return trials_of(recording, recording.parameters);
}

TEST(RecordedTrials, KeepTheRecordedParametersWithoutASpace) {
  const auto trials = own_trials_of(parse_recording(kNumbersAsText, "rec"));
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].configuration, (Configuration{"1", std::int64_t{0}, "fast"}));
  EXPECT_EQ(trials[0].timing.median, 5.0);
  EXPECT_EQ(trials[0].timing.samples, (std::vector<double>{4.0, 6.0}));
  EXPECT_DOUBLE_EQ(trials[0].objective.value(), 0.005);
  EXPECT_DOUBLE_EQ(trials[0].cost_seconds, 0.15);
  EXPECT_EQ(trials[1].state, TrialState::kCompile);
  EXPECT_EQ(trials[1].message, "failed in rec");
}

TEST(RecordedTrials, TakeOrderAndValuesOfASpace) {
  const std::vector<Parameter> space{numbers("pad", {3}), numbers("y", {0, 1}),
                                     numbers("x", {1, 2})};
  const auto trials = trials_of(parse_recording(kNumbersAsText, "rec"), space);
  EXPECT_EQ(trials[0].configuration,
            (Configuration{std::int64_t{3}, std::int64_t{0}, std::int64_t{1}}));
}

TEST(RecordedTrials, OfAnotherObjectiveAreAMetric) {
  const auto trials = own_trials_of(parse_recording(kNumbersAsText, "rec", "gflops"));
  EXPECT_EQ(trials[0].metrics, (std::vector<std::pair<std::string, double>>{{"gflops", 7.0}}));
  EXPECT_EQ(trials[0].objective.value(), 7.0);
}

std::string complaint(const std::vector<Parameter>& space) {
  try {
    trials_of(parse_recording(kNumbersAsText, "rec"), space);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(RecordedTrials, RefuseASpaceOfOtherParameters) {
  EXPECT_EQ(complaint({numbers("x", {1, 2})}),
            "rec: the recording varies 'y', which is no parameter of the study");
  EXPECT_EQ(complaint({numbers("x", {1, 2}), numbers("y", {0, 1}), numbers("z", {1, 2})}),
            "rec: parameter 'z' is not in the recording");
}

}  // namespace
}  // namespace tuner
