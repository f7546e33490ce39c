// Seconds of a budget are a promise, whatever compilers do: half of the variants here are compiled
// for a minute.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

bool is_measured(const std::string& state) { return state == "ok" || state == "dropped"; }

class Budgets : public testing::Test {
 protected:
  Budgets() {
    box_.write("compiler", R"(#!/bin/sh
for argument in "$@"; do
  case $argument in
    *variant.cpp) if grep -q 'TUNE_SLOW 1' "$argument"; then sleep "${SLOW_SECONDS:-60}"; fi ;;
  esac
done
exec c++ "$@"
)");
    fs::permissions(box_.path("compiler"), fs::perms::owner_all);
    box_.write("copy.cu", R"(// TUNE_SLOW only tells the compiler what to do
extern "C" __global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * TUNE_BLOCK + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)");
    box_.write("copy.yaml", R"yaml(schema: 1
kernel: {name: copy, source: copy.cu, entry: copy}
problem_sizes: [{n: 4096}]
parameters: {BLOCK: [32, 64, 128, 256], SLOW: [0, 1]}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
verify: none
)yaml");
    fs::create_directory(box_.path("temporary"));
    ::setenv("TUNER_HOST_CXX", box_.path("compiler").c_str(), 1);
    ::setenv("TMPDIR", box_.path("temporary").c_str(), 1);
  }
  ~Budgets() override {
    ::unsetenv("TUNER_HOST_CXX");
    ::unsetenv("TMPDIR");
    ::unsetenv("SLOW_SECONDS");
  }

  static std::vector<std::string> words(const std::string& budget, const std::string& where) {
    return {"run",    "copy.yaml", "--backend", "cpu",  "--strategy", "exhaustive",
            "--jobs", "2",         "--budget",  budget, "--where",    where};
  }

  // Runs with so many seconds, and looks at the promise.
  Finished run_for(int seconds, const std::string& where = "true") {
    const auto begin = std::chrono::steady_clock::now();
    const Finished done = run(box_, words(std::to_string(seconds) + "s", where));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    EXPECT_LE(wall.count(), 1.05 * seconds + 1) << done.err;
    EXPECT_TRUE(no_process_left(box_));
    EXPECT_TRUE(eventually([&] { return fs::is_empty(box_.path("temporary")); }));
    return done;
  }

  Sandbox box_;
};

TEST_F(Budgets, OfFiveSecondsAreKeptAndTheNextRunTakesUpWhatWasCancelled) {
  const Finished first = run_for(5);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_TRUE(says(first.err, "cancelled to end in time: "));
  EXPECT_TRUE(says(first.err, "ended: 5 seconds"));
  for (const auto& row : ranking_of(box_, "copy")) EXPECT_TRUE(is_measured(row.at("state")));
  ::setenv("SLOW_SECONDS", "0", 1);
  run_to(0, box_, words("100", "true"));
  const auto rows = ranking_of(box_, "copy");
  EXPECT_EQ(rows.size(), 8U);
  for (const auto& row : rows) EXPECT_TRUE(is_measured(row.at("state"))) << row.at("message");
}

TEST_F(Budgets, ShorterThanOneCompilationLeaveNothingAndSaySo) {
  const Finished done = run_for(3, "SLOW == 1");
  EXPECT_EQ(done.status, 1);
  EXPECT_TRUE(says(done.err,
                   "nothing was compiled in time; 4 configurations were cancelled after 3 "
                   "seconds: allow more with --budget"));
  EXPECT_FALSE(fs::exists(box_.path("results") / "copy"));
}

TEST_F(Budgets, CtrlCEndsARunThatCompilesWithinThreeSeconds) {
  Running running(box_, words("600s", "SLOW == 1"));
  ASSERT_TRUE(eventually(
      [&] { return running.errors_so_far().find("valid configurations") != std::string::npos; }));
  const auto begin = std::chrono::steady_clock::now();
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().status, 130);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(wall.count(), 3);
  EXPECT_TRUE(no_process_left(box_));
}

}  // namespace
}  // namespace tuner::cli
