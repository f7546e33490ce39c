// Every mistake of the section work, with the whole text that the user sees.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

std::string complaints_of_work(const std::string& work) {
  return complaints_of("schema: 1\nproblem_sizes: [{N: 8}]\nparameters: {B: [1, 2]}\n" + work +
                       "\n");
}

TEST(WorkSection, SaysBytesAndOperationsOfAType) {
  const Study study = accepted(R"yaml(schema: 1
problem_sizes: [{N: 8}]
parameters: {B: [1, 2]}
work: {bytes: 8 * N, flops: N * B, type: half}
)yaml");
  ASSERT_TRUE(study.least_work);
  EXPECT_EQ(study.least_work->bytes.text(), "8 * N");
  EXPECT_EQ(study.least_work->flops.text(), "N * B");
  EXPECT_EQ(study.least_work->type, "float16");
}

TEST(WorkSection, IsNothingWithoutEither) {
  EXPECT_EQ(complaints_of_work("work: {}"),
            "study.yaml:4:1: 'work' says neither 'bytes' nor 'flops' (work: {bytes: 8 * N})");
}

TEST(WorkSection, KnowsItsKeys) {
  EXPECT_EQ(complaints_of_work("work: {byte: 8 * N, flops: N}"),
            "study.yaml:4:8: unknown key 'byte' in 'work' (did you mean 'bytes'?)");
}

TEST(WorkSection, NamesSizesAndParametersOnly) {
  EXPECT_EQ(complaints_of_work("work: {bytes: 8 / time}"),
            "study.yaml:4:19: 'time' is a measured quantity; 'bytes' of 'work' may use only "
            "problem sizes, device facts, parameters and derived names");
  EXPECT_EQ(complaints_of_work("work: {flops: 2 * M}"), "study.yaml:4:19: unknown name 'M'");
}

TEST(WorkSection, KnowsTypesAndTheTensorCores) {
  EXPECT_EQ(complaints_of_work("work: {flops: N, type: tf23}"),
            "study.yaml:4:24: unknown type 'tf23' of 'work' (did you mean 'tf32'?)");
  EXPECT_EQ(complaints_of_work("work: {flops: N, type: tf32}"), "");
}

TEST(WorkSection, ATypeIsThatOfOperations) {
  EXPECT_EQ(complaints_of_work("work: {bytes: N, type: float32}"),
            "study.yaml:4:24: 'type' is that of 'flops', which are not there");
}

TEST(WorkSection, AnAmountIsNotBelowZeroAtAnySize) {
  EXPECT_EQ(complaints_of("schema: 1\nproblem_sizes: [{N: 8}, {N: 2}]\nparameters: {B: [1]}\n"
                          "work: {bytes: N - 4}\n"),
            "study.yaml:4:15: 'bytes' of 'work' is -2 at N2 (a number, 0 or more)");
}

TEST(WorkSection, IsAMap) {
  EXPECT_EQ(complaints_of_work("work: 8 * N"),
            "study.yaml:4:7: 'work' must be a map (key: value), not text");
}

}  // namespace
}  // namespace tuner::testing
