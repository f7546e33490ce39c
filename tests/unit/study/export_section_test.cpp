#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(ExportSection, WeightsAreNumbersForDimensions) {
  const Study study = accepted(R"yaml(schema: 1
problem_sizes: [{M: 8, N: 8, K: 8}]
parameters: {B: [1, 2]}
export: {weights: {K: 0.5, M: 0}}
)yaml");
  EXPECT_EQ(study.exports.weights,
            (std::vector<std::pair<std::string, double>>{{"K", 0.5}, {"M", 0}}));
}

TEST(ExportSection, EveryMistakeHasItsPlace) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
problem_sizes: [{Rows: 8, N: 8}]
parameters: {B: [1, 2]}
export: {weights: {Row: 1, N: -1, B: 2}, wieghts: 3}
)yaml"),
            R"text(study.yaml:4:20: 'problem_sizes' have no dimension 'Row' (did you mean 'Rows'?)
study.yaml:4:31: the weight of 'N' must be at least 0, not -1
study.yaml:4:35: 'problem_sizes' have no dimension 'B' (known: N and Rows)
study.yaml:4:42: unknown key 'wieghts' in 'export' (did you mean 'weights'?))text");
}

TEST(ExportSection, WeightsAreAMapOfNumbers) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
problem_sizes: [{N: 8}]
parameters: {B: [1, 2]}
export: {weights: [1]}
)yaml"),
            "study.yaml:4:19: 'weights' must be a map (key: value), not a list");
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
problem_sizes: [{N: 8}]
parameters: {B: [1, 2]}
export: {weights: {N: much}}
)yaml"),
            "study.yaml:4:23: the weight of 'N' must be a number, not text");
}

TEST(ExportSection, NotEveryWeightIsZero) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
problem_sizes: [{M: 8, N: 8}]
parameters: {B: [1, 2]}
export: {weights: {M: 0, N: 0}}
)yaml"),
            "study.yaml:4:10: all weights are 0: no size would be nearer than another");
}

TEST(ExportSection, AStudyWithoutDimensionsHasNothingToWeigh) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
export: {weights: {N: 1}}
)yaml"),
            "study.yaml:3:20: 'problem_sizes' have no dimension 'N'");
}

}  // namespace
}  // namespace tuner::testing
