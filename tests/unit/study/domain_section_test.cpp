// problem_sizes as a domain.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

std::string study_of(const std::string& sizes, const std::string& more = "") {
  return "schema: 1\nproblem_sizes:\n" + sizes + "parameters: {B: [1, 2]}\n" + more;
}

TEST(DomainSection, RangesKindsAndWeightsAreRead) {
  const Study study = accepted(study_of(R"yaml(  domain: {M: [1, 8192], N: [64, 64]}
  kinds: ["M % 1024 == 0", "M < 10"]
  weights: [1, 0.5]
)yaml"));
  ASSERT_TRUE(study.domain);
  ASSERT_EQ(study.domain->extents.size(), 2U);
  EXPECT_EQ(study.domain->extents[0].name, "M");
  EXPECT_EQ(study.domain->extents[0].high, 8192);
  ASSERT_EQ(study.domain->kinds.size(), 2U);
  EXPECT_EQ(study.domain->kinds[1].rule.text(), "M < 10");
  EXPECT_EQ(study.domain->kinds[1].weight, 0.5);
  ASSERT_EQ(study.sizes.size(), 2U);  // an example of each kind
  EXPECT_EQ(study.sizes[0].dims[0].second % 1024, 0);
  EXPECT_LT(study.sizes[1].dims[0].second, 10);
}

TEST(DomainSection, WithoutKindsThereIsOneOfEverySize) {
  const Study study = accepted(study_of("  domain: {M: [1, 8192]}\n"));
  ASSERT_TRUE(study.domain);
  ASSERT_EQ(study.domain->kinds.size(), 1U);
  EXPECT_TRUE(study.domain->kinds[0].rule.empty());
}

TEST(DomainSection, ADomainOfOneSizeIsAListOfOne) {
  const Study study = accepted(study_of("  domain: {M: [64, 64], N: [32, 32]}\n"));
  EXPECT_FALSE(study.domain);
  ASSERT_EQ(study.sizes.size(), 1U);
  EXPECT_EQ(study.sizes[0].label(), "M64_N32");
}

TEST(DomainSection, EveryMistakeHasItsPlace) {
  EXPECT_EQ(complaints_of(study_of(R"yaml(  domain: {M: [64, 32], N: 7, K: [0, 8], L: [1, x]}
  kinds: ["R % 2 == 0", "M % device.warp_size == 0"]
  weights: [1, 2, 3]
  sizes: 3
)yaml")),
            R"text(study.yaml:3:15: dimension 'M' begins at 64, above its end 32
study.yaml:3:28: dimension 'N' must be [lowest, highest] ([7, 7])
study.yaml:3:34: dimension 'K' must begin at 1 at least, not 0
study.yaml:3:49: dimension 'L' must be an integer, not text
study.yaml:4:12: unknown name 'R'
study.yaml:4:30: 'device.warp_size' is a device fact; a kind may use only problem sizes
study.yaml:5:12: 'weights' has 3 numbers; there are 2 kinds
study.yaml:6:3: unknown key 'sizes' in 'problem_sizes' (known: domain, kinds and weights))text");
}

TEST(DomainSection, AKindThatNoSizeFulfilsIsAMistakeThatSaysHowManyDrawsThereWere) {
  EXPECT_EQ(complaints_of(study_of(R"yaml(  domain: {M: [1, 100], N: [8, 8]}
  kinds: ["M % 1024 == 0"]
)yaml")),
            "study.yaml:4:12: no size of the domain is of this kind: 1000 draws within M 1 to 100, "
            "N 8 found none");
}

TEST(DomainSection, KindsAreExpressionsAndWeightsAbove0) {
  EXPECT_EQ(complaints_of(study_of(R"yaml(  domain: {M: [1, 100]}
  kinds: []
)yaml")),
            "study.yaml:4:10: 'kinds' is empty; without it there is one kind, every size");
  EXPECT_EQ(complaints_of(study_of(R"yaml(  domain: {M: [1, 100]}
  weights: [0]
)yaml")),
            "study.yaml:4:13: a weight must be above 0, not 0");
}

TEST(DomainSection, TheExpectedLossToStopAtIsAShare) {
  const std::string sizes = "  domain: {M: [1, 100]}\n";
  EXPECT_EQ(accepted(study_of(sizes)).search.until_loss, 0.03);
  EXPECT_EQ(accepted(study_of(sizes, "search: {until_loss: 0.1}\n")).search.until_loss, 0.1);
  EXPECT_EQ(complaints_of(study_of(sizes, "search: {until_loss: 3}\n")),
            "study.yaml:5:22: 'until_loss' must be from 0 and below 1, not 3 (0.03 is 3 %)");
}

}  // namespace
}  // namespace tuner::testing
