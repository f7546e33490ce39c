#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(BaselineSection, IsAConfigurationInTheOrderOfTheParameters) {
  const Study study = accepted(R"yaml(schema: 1
parameters: {B: [32, 64], FAST: [true, false], FORM: [plain]}
baseline: {FAST: 1, B: 64}
)yaml");
  ASSERT_TRUE(study.baseline);
  EXPECT_EQ(study.baseline->configuration, (Configuration{std::int64_t{64}, true, "plain"}))
      << "the parameters' own values; FORM has only one";
}

TEST(BaselineSection, EveryMistakeHasItsPlace) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {BM: [32, 64], BN: [1, 2], VEC: [1, 4]}
baseline: {BM: 48, BMM: 1}
)yaml"),
      R"text(study.yaml:3:1: the baseline says nothing of 'BN' and 'VEC' (only parameters with a single value may be left out)
study.yaml:3:16: 'BM' has no value 48 (one of 32 or 64)
study.yaml:3:20: unknown name 'BMM' (did you mean 'BM'?))text");
}

TEST(BaselineSection, AMistypedNameIsNotAlsoMissing) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {KIB: [1, 2], B: [1, 2]}
baseline: {KBI: 1, B: 1}
)yaml"),
            "study.yaml:3:12: unknown name 'KBI' (did you mean 'KIB'?)");
}

TEST(BaselineSection, KeepsTheConstraints) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {BM: [32, 64], BN: [32, 64]}
derived: {tile: BM * BN}
constraints: [tile <= 2048, BM <= device.max_threads_per_block]
baseline: {BM: 64, BN: 64}
)yaml"),
            "study.yaml:5:1: the baseline breaks a constraint: tile <= 2048 (a configuration that "
            "'tuner check --list' shows)");
}

TEST(BaselineSection, MayBeWrongForSomeSizesButNotForAll) {
  const char* text = R"yaml(schema: 1
problem_sizes: [{N: 8}, {N: 6}]
parameters: {VEC: [1, 2, 4, 16]}
constraints: [N % VEC == 0]
baseline: {VEC: 4}
)yaml";
  EXPECT_TRUE(accepted(text).baseline);
  std::string never(text);
  never.replace(never.find("VEC: 4}"), 7, "VEC: 16}");
  EXPECT_NE(complaints_of(never).find(
                "the baseline breaks a constraint at every problem size: N % VEC == 0"),
            std::string::npos);
}

TEST(BaselineSection, IsAMap) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
baseline: [1]
)yaml"),
            "study.yaml:3:11: 'baseline' must be a map (key: value), not a list");
}

}  // namespace
}  // namespace tuner::testing
