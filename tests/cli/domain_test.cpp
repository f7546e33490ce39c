// Domains from end to end on the cpu backend: checked, tuned, resumed, exported, verified.

#include <gtest/gtest.h>

#include <set>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

std::string study() { return data("studies/domain.yaml"); }

Finished tune_domain(const Sandbox& sandbox, std::vector<std::string> more) {
  std::vector<std::string> words{"run", study(), "--backend", "cpu", "--progress", "json"};
  words.insert(words.end(), more.begin(), more.end());
  return run(sandbox, words);
}

// Labels of the sizes that have a ranking.
std::set<std::string> ranked_sizes(const Sandbox& sandbox) {
  std::set<std::string> sizes;
  for (const auto& device : fs::directory_iterator(sandbox.path("results/twice"))) {
    for (const auto& file : fs::directory_iterator(device.path())) {
      if (file.path().extension() == ".csv") sizes.insert(file.path().stem());
    }
  }
  return sizes;
}

TEST(Domain, CheckShowsRangesAndExamplesOfEachKind) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"check", study()});
  EXPECT_TRUE(says(done.out, "domain             M 1 to 200, N 1 to 200\n"));
  EXPECT_TRUE(says(done.out, "kind  75.0 %       N % 4 == 0: M"));
  EXPECT_TRUE(says(done.out, "kind  25.0 %       N % 4 != 0: M"));
  const auto one = run(sandbox, {"check", study(), "--size", "M=5,N=6"});
  EXPECT_TRUE(says(one.out, "problem size       M5_N6\n"));
  EXPECT_FALSE(says(one.out, "domain  "));
}

TEST(Domain, AGivenSizeIsTunedInsteadOfIt) {
  const Sandbox sandbox;
  const auto done = tune_domain(sandbox, {"--size", "M=5,N=6", "--budget", "2"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(ranked_sizes(sandbox), std::set<std::string>{"M5_N6"});
}

TEST(Domain, TheBudgetIsForAllSizesAndTheSameCommandFindsItSpent) {
  const Sandbox sandbox;
  const auto done = tune_domain(sandbox, {"--budget", "24"});
  ASSERT_EQ(done.status, 0) << done.err;
  // The store answers for each size's winner, which its final is held with.
  EXPECT_EQ(occurrences(done.err, "\"from_store\":false"), 24U) << done.err;
  EXPECT_TRUE(says(done.err, "24 evaluations, expected loss"));
  const auto sizes = ranked_sizes(sandbox);
  EXPECT_GE(sizes.size(), 3U);
  const auto again = tune_domain(sandbox, {"--budget", "24"});
  ASSERT_EQ(again.status, 0) << again.err;
  for (const std::string& size : sizes) EXPECT_TRUE(ranked_sizes(sandbox).contains(size)) << size;
}

TEST(Domain, AnExportIsRightAtEverySizeOfTheDomain) {
  const Sandbox sandbox;
  ASSERT_EQ(tune_domain(sandbox, {"--budget", "48"}).status, 0);
  run_to(0, sandbox, {"export", study(), "--format", "header", "-o", "twice_tuned.h"});
  const std::string header = text_of(sandbox.path("twice_tuned.h"));
  EXPECT_TRUE(says(header, "// domain M 1 to 200, N 1 to 200\n// other sizes: "));
  EXPECT_TRUE(says(header, "expected loss "));
  const auto verified = run_to(0, sandbox,
                               {"verify-export", "twice_tuned.h", study(), "--backend", "cpu",
                                "--random", "40", "--seed", "7"});
  EXPECT_TRUE(says(verified.out, "40 right, 0 wrong, 0 without a valid configuration"));
  const auto outside = run_to(
      0, sandbox,
      {"verify-export", "twice_tuned.h", study(), "--backend", "cpu", "--size", "M=300,N=301"});
  EXPECT_FALSE(says(outside.out, "predicted"));
  const auto evaluated = run_to(0, sandbox, {"export", study(), "--evaluate"});
  EXPECT_TRUE(says(evaluated.out, "sizes of the domain that were not tuned"));
}

}  // namespace
}  // namespace tuner::cli
