// What a search is told of earlier ones.

#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kRecording = R"json({"device_name": "Toy", "kernel_name": "toy",
"tune_params_keys": ["B"], "tune_params": {"B": [1, 2, 4, 8]}, "objective": "time", "cache": {
"1": {"B": 1, "time": 3.0}, "2": {"B": 2, "time": 1.5}, "4": {"B": 4, "time": 9.0},
"8": {"B": 8, "time": 5.0}}})json";

TEST(WarmStart, AReplayBeginsWithWhatWasBestInAnotherRecording) {
  const Sandbox sandbox;
  sandbox.write("cache.json", kRecording);
  sandbox.write("earlier.json", R"json({"tune_params_keys": ["B"], "tune_params": {"B": [2, 4, 8]},
"cache": {"2": {"B": 2, "time": 70}, "4": {"B": 4, "time": 60}, "8": {"B": 8, "time": 50}}})json");
  run_to(0, sandbox,
         {"run", "--replay", "cache.json", "--warm-start", "earlier.json", "--budget", "2",
          "--trace", "trace.csv"});
  const auto rows = read_csv(sandbox.path("trace.csv"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("objective"), "5");
  EXPECT_EQ(rows[1].at("objective"), "9");
}

TEST(WarmStart, ARecordingOfSomethingElseIsRefused) {
  const Sandbox sandbox;
  sandbox.write("cache.json", kRecording);
  sandbox.write("other.json", R"json({"tune_params_keys": ["C"], "tune_params": {"C": [1, 2]},
"cache": {"1": {"C": 1, "time": 70}, "2": {"C": 2, "time": 60}}})json");
  const auto done =
      run_to(2, sandbox, {"run", "--replay", "cache.json", "--warm-start", "other.json"});
  EXPECT_TRUE(says(done.err, "other.json: says nothing of the configurations"));
}

TEST(WarmStart, ANewSizeHearsOfTheOtherUnlessToldNotTo) {
  const Sandbox sandbox;
  const auto tune = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", data("studies/tiny.yaml"), "--backend", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run(sandbox, words);
  };
  ASSERT_EQ(tune({"--size", "n=3000", "--strategy", "exhaustive"}).status, 0);
  const auto cold = tune({"--size", "n=10000", "--budget", "1", "--no-warm-start"});
  ASSERT_EQ(cold.status, 0) << cold.err;
  EXPECT_FALSE(says(cold.err, "the search starts from"));
  const auto warm = tune({"--size", "n=10000", "--budget", "1"});
  ASSERT_EQ(warm.status, 0) << warm.err;
  EXPECT_TRUE(says(warm.err, "the search starts from 11 results of n3000 on "));
}

}  // namespace
}  // namespace tuner::cli
