#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace tuner::cli {
namespace {

TEST(Replay, NeedsNoDevice) {
  const Sandbox sandbox;
  sandbox.write("cache.json", R"json({"device_name": "Toy", "kernel_name": "toy",
"tune_params_keys": ["B"], "tune_params": {"B": [1, 2, 4]}, "objective": "time", "cache": {
"1": {"B": 1, "time": 3.0, "compile_time": 1000, "benchmark_time": 500},
"2": {"B": 2, "time": 1.5, "compile_time": 1000, "benchmark_time": 500},
"4": {"B": 4, "time": "RuntimeFailedConfig", "compile_time": 1000, "benchmark_time": 0}}})json");
  run_to(0, sandbox,
         {"run", "--replay", "cache.json", "--strategy", "random", "--repeats", "3", "--trace",
          "trace.csv"});
  const auto rows = read_csv(sandbox.path("trace.csv"));
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[8].at("run"), "2");
  EXPECT_EQ(rows[8].at("time_s"), "4");
  EXPECT_EQ(rows[8].at("strategy"), "random");
  EXPECT_EQ(rows[8].at("seed"), "3");
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const auto& row) { return row.at("objective").empty(); }),
            3);
}

TEST(Replay, TakesRankedCsvFilesOfWhichTheSizeChooses) {
  const Sandbox sandbox;
  const std::string shipped = std::string(TUNER_SOURCE_DIR) + "/results/transpose";
  const std::vector<std::string> replay{
      "run", "--replay", shipped, "--strategy", "random", "--budget", "20", "--progress", "plain"};
  const auto which = run_to(2, sandbox, replay);
  EXPECT_TRUE(says(which.err, "holds several recordings"));
  auto chosen = replay;
  chosen.insert(chosen.end(), {"--size", "M=16384,N=16384"});
  const auto done = run_to(0, sandbox, chosen);
  EXPECT_TRUE(says(done.err, " configurations are recorded, "));
  EXPECT_TRUE(says(done.out, "FORM="));
  chosen.back() = "M=5,N=5";
  EXPECT_TRUE(says(run_to(2, sandbox, chosen).err, "holds no trials of M=5,N=5"));
}

TEST(Replay, CanHaveTheClockOfCompileWorkers) {
  const Sandbox sandbox;
  sandbox.write("cache.json",
                R"json({"tune_params_keys": ["B"], "tune_params": {"B": [1, 2, 4]}, "cache": {
"1": {"B": 1, "time": 3.0, "compile_time": 100000, "verification_time": 10000, "benchmark_time": 20000},
"2": {"B": 2, "time": 1.5, "compile_time": 100000, "benchmark_time": 50000},
"4": {"B": 4, "time": "RuntimeFailedConfig", "compile_time": 70000, "benchmark_time": 9}}})json");
  const auto done =
      run_to(0, sandbox,
             {"run", "--replay", "cache.json", "--strategy", "exhaustive", "--compile-workers",
              "16", "--trace", "trace.csv", "--progress", "none"});
  std::vector<double> seconds;
  for (const auto& row : read_csv(sandbox.path("trace.csv"))) {
    seconds.push_back(std::stod(row.at("time_s")));
  }
  // Beside the strategy's computing.
  ASSERT_EQ(seconds.size(), 3U);
  EXPECT_NEAR(seconds[0], 70, 5);
  EXPECT_NEAR(seconds[1], 130, 5);
  EXPECT_NEAR(seconds[2], 180, 5);
  // 270 s of 16 workers, 80 s of the device.
  sandbox.write("runs.csv", done.out);
  const auto runs = read_csv(sandbox.path("runs.csv"));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(std::stod(runs[0].at("compile_workers_busy")), 270.0 / (16 * 180), 0.01);
  EXPECT_NEAR(std::stod(runs[0].at("device_busy")), 80.0 / 180, 0.02);
}

TEST(Replay, CanHaveTheClockOfSeveralDevices) {
  const Sandbox sandbox;
  sandbox.write("cache.json",
                R"json({"tune_params_keys": ["B"], "tune_params": {"B": [1, 2, 4]}, "cache": {
"1": {"B": 1, "time": 3.0, "compile_time": 100000, "benchmark_time": 40000},
"2": {"B": 2, "time": 1.5, "compile_time": 100000, "benchmark_time": 50000},
"4": {"B": 4, "time": 1.5, "compile_time": 100000, "benchmark_time": 60000}}})json");
  run_to(0, sandbox,
         {"run", "--replay", "cache.json", "--strategy", "exhaustive", "--compile-workers", "3",
          "--simulated-devices", "2", "--trace", "trace.csv", "--progress", "none"});
  const auto rows = read_csv(sandbox.path("trace.csv"));
  ASSERT_EQ(rows.size(), 3U);
  // Beside the strategy's computing.
  EXPECT_NEAR(std::stod(rows[0].at("time_s")), 140, 5);
  EXPECT_NEAR(std::stod(rows[1].at("time_s")), 150, 5);
  EXPECT_NEAR(std::stod(rows[2].at("time_s")), 200, 5);
}

TEST(Replay, TheClockOfCompileWorkersNeedsCompileTimes) {
  const Sandbox sandbox;
  sandbox.write("cache.json",
                R"json({"tune_params_keys": ["B"], "tune_params": {"B": [1]}, "cache": {
"1": {"B": 1, "time": 3.0, "benchmark_time": 20}}})json");
  const auto done =
      run_to(2, sandbox, {"run", "--replay", "cache.json", "--compile-workers", "16"});
  EXPECT_TRUE(says(
      done.err,
      "cache: has no compile times, which simulated compile workers need (--compile-workers)"));
}

TEST(Replay, CompileWorkersGoWithNothingElse) {
  const Sandbox sandbox;
  sandbox.write("cache.json", "{}");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"run", "s.yaml", "--compile-workers", "4"}, "--compile-workers goes with --replay"},
      {{"run", "--replay", "cache.json", "--compile-workers", "0"},
       "--compile-workers must be between 1 and 1024"},
      {{"run", "--replay", "cache.json", "--compile-workers", "4", "--jobs", "2"},
       "--compile-workers and --jobs exclude each other"},
      {{"run", "--replay", "cache.json", "--simulated-devices", "4"},
       "--simulated-devices goes with --compile-workers"},
      {{"run", "--replay", "cache.json", "--compile-workers", "4", "--simulated-devices", "0"},
       "--simulated-devices must be between 1 and 1024"}};
  for (const auto& [words, message] : wrong) {
    const auto done = run_to(2, sandbox, words);
    EXPECT_TRUE(says(done.err, message));
  }
}

}  // namespace
}  // namespace tuner::cli
