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
  const auto done = run(sandbox, {"check", study()});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("domain             M 1 to 200, N 1 to 200\n"), std::string::npos);
  EXPECT_NE(done.out.find("kind  75.0 %       N % 4 == 0: M"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("kind  25.0 %       N % 4 != 0: M"), std::string::npos) << done.out;
  const auto one = run(sandbox, {"check", study(), "--size", "M=5,N=6"});
  EXPECT_NE(one.out.find("problem size       M5_N6\n"), std::string::npos) << one.out;
  EXPECT_EQ(one.out.find("domain  "), std::string::npos) << one.out;
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
  EXPECT_NE(done.err.find("24 evaluations, expected loss"), std::string::npos) << done.err;
  const auto sizes = ranked_sizes(sandbox);
  EXPECT_GE(sizes.size(), 3U);
  const auto again = tune_domain(sandbox, {"--budget", "24"});
  ASSERT_EQ(again.status, 0) << again.err;
  for (const std::string& size : sizes) EXPECT_TRUE(ranked_sizes(sandbox).contains(size)) << size;
}

TEST(Domain, AnExportIsRightAtEverySizeOfTheDomain) {
  const Sandbox sandbox;
  ASSERT_EQ(tune_domain(sandbox, {"--budget", "48"}).status, 0);
  const auto done = run(sandbox, {"export", study(), "--format", "header", "-o", "twice_tuned.h"});
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string header = text_of(sandbox.path("twice_tuned.h"));
  EXPECT_NE(header.find("// domain M 1 to 200, N 1 to 200\n// other sizes: "), std::string::npos);
  EXPECT_NE(header.find("expected loss "), std::string::npos);
  const auto verified = run(sandbox, {"verify-export", "twice_tuned.h", study(), "--backend", "cpu",
                                      "--random", "40", "--seed", "7"});
  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_NE(verified.out.find("40 right, 0 wrong, 0 without a valid configuration"),
            std::string::npos)
      << verified.out;
  const auto outside = run(sandbox, {"verify-export", "twice_tuned.h", study(), "--backend", "cpu",
                                     "--size", "M=300,N=301"});
  EXPECT_EQ(outside.status, 0) << outside.out;
  EXPECT_EQ(outside.out.find("predicted"), std::string::npos) << outside.out;
  const auto evaluated = run(sandbox, {"export", study(), "--evaluate"});
  EXPECT_EQ(evaluated.status, 0) << evaluated.err;
  EXPECT_NE(evaluated.out.find("sizes of the domain that were not tuned"), std::string::npos)
      << evaluated.out;
}

}  // namespace
}  // namespace tuner::cli
