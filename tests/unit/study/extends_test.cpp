// Studies that extend another one.

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/study/study_folder.h"
#include "tuner/base/error.h"

namespace tuner::testing {
namespace {

constexpr const char* kBase = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{M: 64, N: 64}]
parameters: {B: [32, 64]}
constraints: ["B <= M"]
launch: {block: [B], grid: ["ceil_div(M, B)"]}
arguments: [{name: Y, type: float, shape: [M, "N - 7"], role: out}]
search: {strategy: random, budget: {evaluations: 5}}
measure: {cache: hot}
export: {weights: {M: 0.5}}
)yaml";

class Extending {
 public:
  explicit Extending(const std::string& rest, const std::string& base = kBase)
      : folder_("schema: 1\nextends: base.yaml\n" + rest) {
    std::ofstream(folder_.file().parent_path() / "base.yaml") << base;
  }
  Study study() const { return read_study(folder_.file()); }
  std::string complaints() const {
    try {
      study();
    } catch (const InputError& error) {
      return folder_.without_folder(error.what());
    }
    return {};
  }

 private:
  StudyFolder folder_;
};

TEST(Extends, TheOtherStudyIsTunedForOtherSizes) {
  const Study study =
      Extending("problem_sizes: {domain: {M: [1, 512], N: [8, 512]}}\nsearch: {until_loss: 0.05}\n")
          .study();
  EXPECT_EQ(study.file.filename(), "study.yaml");
  EXPECT_EQ(study.kernel.name, "k");
  EXPECT_EQ(study.kernel.source.filename(), "k.cu");
  ASSERT_TRUE(study.domain);
  EXPECT_EQ(study.domain->extents[1].low, 8);
  EXPECT_EQ(study.parameters[0].values.size(), 2U);
  EXPECT_TRUE(study.runnable);
  // A section that is here replaces the other study's, one that is not stays.
  EXPECT_EQ(study.search.until_loss, 0.05);
  EXPECT_EQ(study.search.strategy, SearchSpec().strategy);
  EXPECT_EQ(study.measure.cache, CacheState::kHot);
  ASSERT_EQ(study.exports.weights.size(), 1U);
  EXPECT_EQ(study.exports.weights[0].second, 0.5);
}

TEST(Extends, AListOfADomainIsAListAgain) {
  const std::string base =
      "schema: 1\nproblem_sizes: {domain: {M: [1, 8]}}\nparameters: {B: [1]}\n";
  const Study study =
      Extending("problem_sizes: [{M: 3}]\nexport: {weights: {M: 2}}\n", base).study();
  EXPECT_FALSE(study.domain);
  ASSERT_EQ(study.sizes.size(), 1U);
  EXPECT_EQ(study.sizes[0].label(), "M3");
  EXPECT_EQ(study.exports.weights[0].second, 2);
}

TEST(Extends, WhatIsWrongHasItsPlaceHere) {
  EXPECT_EQ(
      Extending("parameters: {B: [1]}\nproblem_sizes: [{N: 1, M: 1}]\n").complaints(),
      R"text(study.yaml:3:1: unknown key 'parameters' in a study that extends another (known: schema, extends, problem_sizes, search, measure and export)
    parameters: {B: [1]}
    ^)text");
  EXPECT_EQ(
      Extending("problem_sizes: [{N: 1, M: 1}]\n").complaints(),
      R"text(study.yaml:3:1: 'problem_sizes' need the dimensions of the study that is extended (M and N, in this order)
    problem_sizes: [{N: 1, M: 1}]
    ^)text");
  EXPECT_EQ(Extending("search: {strategy: random}\n").complaints(),
            R"text(study.yaml:1:1: missing key 'problem_sizes' in a study that extends another
    schema: 1
    ^)text");
  EXPECT_EQ(
      complaints_of("schema: 1\nextends: none.yaml\nproblem_sizes: [{M: 1}]\n"),
      R"text(study.yaml:2:10: 'extends': there is no file none.yaml (names are relative to the study file)
    extends: none.yaml
             ^)text");
}

TEST(Extends, WhatIsWrongInTheOtherStudyHasItsPlaceThere) {
  EXPECT_EQ(Extending("problem_sizes: [{M: 1}]\n",
                      "schema: 1\nparameters: {B: [1]}\nconstraints: [B < C]\n")
                .complaints(),
            R"text(base.yaml:3:19: unknown name 'C'
    constraints: [B < C]
                      ^)text");
  // There it is right; only a size that is chosen here breaks it.
  EXPECT_EQ(Extending("problem_sizes: [{M: 64, N: 7}]\n").complaints(),
            "base.yaml:7:48: the shape of 'Y' is 0, less than 1 for M=64, N=7");
}

TEST(Extends, OnlyWhatExtendsNothing) {
  EXPECT_EQ(complaints_of("schema: 1\nextends: study.yaml\nproblem_sizes: [{M: 1}]\n"),
            R"text(study.yaml:2:10: a study that is extended by another cannot extend one itself
    extends: study.yaml
             ^)text");
}

}  // namespace
}  // namespace tuner::testing
