// run --cross-sizes: the winner of each size is measured at the others.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

using Chosen = std::pair<std::string, std::string>;  // BLOCK, PER

// The rows of a size's ranking, best first.
std::vector<Chosen> rows_of(const Sandbox& sandbox, const std::string& size) {
  std::vector<Chosen> rows;
  for (const auto& device : fs::directory_iterator(sandbox.path("results/axpy"))) {
    for (const auto& row : read_csv(device.path() / (size + ".csv"))) {
      rows.emplace_back(row.at("BLOCK"), row.at("PER"));
    }
  }
  return rows;
}

bool has(const std::vector<Chosen>& rows, const Chosen& one) {
  return std::find(rows.begin(), rows.end(), one) != rows.end();
}

Finished tune(const Sandbox& sandbox, std::vector<std::string> more,
              const std::string& study = data("studies/tiny.yaml")) {
  std::vector<std::string> words{"run", study, "--backend", "cpu", "--progress", "json"};
  words.insert(words.end(), more.begin(), more.end());
  return run(sandbox, words);
}

TEST(CrossSizes, EveryWinnerIsMeasuredAtEverySize) {
  const Sandbox sandbox;
  const std::vector<std::string> sizes{"n3000", "n10000", "n20000"};
  std::vector<std::string> all{"--strategy", "random", "--budget", "3", "--cross-sizes"};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string size = "n=" + sizes[i].substr(1);
    ASSERT_EQ(tune(sandbox, {"--size", size, "--strategy", "random", "--budget", "3", "--seed",
                             std::to_string(i + 1)})
                  .status,
              0);
    all.insert(all.end(), {"--size", size});
  }
  const auto done = tune(sandbox, all);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(says(done.err, "cross sizes: "));
  std::vector<std::vector<Chosen>> before;
  for (const std::string& size : sizes) before.push_back(rows_of(sandbox, size));
  for (const auto& winner_of : before) {
    for (const auto& rows : before) {
      EXPECT_TRUE(has(rows, winner_of.front()))
          << "BLOCK " << winner_of.front().first << " PER " << winner_of.front().second;
    }
  }
  const auto again = tune(sandbox, all);
  ASSERT_EQ(again.status, 0) << again.err;
  // Measuring again has cost the first run some of its budget: then the second asks for the rest.
  if (!measured_again(done) && !measured_again(again)) {
    EXPECT_FALSE(says(again.err, "\"from_store\":false"));
    EXPECT_TRUE(says(again.err, "every winner was tried already"));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(rows_of(sandbox, sizes[i]).size(), before[i].size());
    }
  }
  const auto evaluated = run(sandbox, {"export", data("studies/tiny.yaml"), "--evaluate"});
  EXPECT_TRUE(says(evaluated.out, "over 3 of 3 sizes"));
}

// The search has spent its budget on one configuration; the winner of another size comes on top.
TEST(CrossSizes, AddToASpentBudgetWhereTheWinnerIsValid) {
  const Sandbox sandbox;
  ASSERT_EQ(tune(sandbox, {"--size", "n=3000", "--where", "BLOCK == 32 and PER == 4"}).status, 0);
  const std::vector<std::string> words{"--size",     "n=10000",    "--budget", "1",
                                       "--strategy", "exhaustive", "--where",  "n % PER == 0"};
  ASSERT_EQ(tune(sandbox, words).status, 0);
  EXPECT_EQ(rows_of(sandbox, "n10000"), (std::vector<Chosen>{{"32", "1"}}));
  auto crossing = words;
  crossing.emplace_back("--cross-sizes");
  auto done = tune(sandbox, crossing);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(done.err.find("cross sizes: 1 trial at 1 size, beyond the budget") !=
                  std::string::npos ||
              measured_again(done))
      << done.err;
  EXPECT_EQ(rows_of(sandbox, "n10000").size(), 2U);
  EXPECT_TRUE(has(rows_of(sandbox, "n10000"), {"32", "4"}));
  EXPECT_EQ(rows_of(sandbox, "n3000").size(), 1U);
  crossing[1] = "n=3001";  // four elements for each thread do not divide it
  done = tune(sandbox, crossing);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(rows_of(sandbox, "n3001"), (std::vector<Chosen>{{"32", "1"}}));
}

TEST(CrossSizes, WhatWasMeasuredFromOtherSourcesDoesNotCount) {
  const Sandbox sandbox;
  const std::string source = text_of(data("studies/tiny.cu"));
  fs::copy_file(data("studies/tiny.yaml"), sandbox.path("tiny.yaml"));
  sandbox.write("tiny.cu", source);
  ASSERT_EQ(tune(sandbox, {"--size", "n=3000", "--where", "BLOCK == 32 and PER == 4"}, "tiny.yaml")
                .status,
            0);
  sandbox.write("tiny.cu", source + "// changed\n");
  const auto done = tune(
      sandbox, {"--size", "n=10000", "--budget", "1", "--strategy", "exhaustive", "--cross-sizes"},
      "tiny.yaml");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(rows_of(sandbox, "n10000"), (std::vector<Chosen>{{"32", "1"}}));
}

TEST(CrossSizes, CtrlCKeepsWhatWasMeasuredAndTheSameCommandGoesOn) {
  const Sandbox sandbox;
  const std::string study = text_of(data("studies/tiny.yaml"));
  // A trial takes long enough for Ctrl-C to come during the first one.
  sandbox.write("tiny.yaml", study +
                                 "measure: {min_samples: 100, max_samples: 100, "
                                 "max_milliseconds: 100000, drop_above: 0}\n");
  fs::copy_file(data("studies/tiny.cu"), sandbox.path("tiny.cu"));
  ASSERT_EQ(tune(sandbox, {"--size", "n=3000", "--where", "BLOCK == 64 and PER == 2"}, "tiny.yaml")
                .status,
            0);
  const std::vector<std::string> words{
      "run", "tiny.yaml",  "--backend",  "cpu",           "--size",     "n=10000", "--budget",
      "1",   "--strategy", "exhaustive", "--cross-sizes", "--progress", "json"};
  Running running(sandbox, words);
  ASSERT_TRUE(eventually(
      [&] { return occurrences(running.errors_so_far(), "tried at the other sizes") > 0; }));
  running.signal(SIGINT);
  const auto stopped = running.wait();
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_TRUE(has(rows_of(sandbox, "n10000"), {"32", "1"}));
  EXPECT_TRUE(no_process_left(sandbox));
  run_to(0, sandbox, words);
  EXPECT_EQ(rows_of(sandbox, "n10000").size(), 2U);
  EXPECT_TRUE(has(rows_of(sandbox, "n10000"), {"64", "2"}));
}

TEST(CrossSizes, DoNotGoWithAReplay) {
  const Sandbox sandbox;
  const auto done = run_to(2, sandbox, {"run", "--replay", "cache.json", "--cross-sizes"});
  EXPECT_TRUE(says(done.err, "--cross-sizes measures on a device; it does not go with --replay"));
}

}  // namespace
}  // namespace tuner::cli
