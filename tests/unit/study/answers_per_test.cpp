// Right answers of T1 files that depend on parameters.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tests/unit/study/t1_file.h"
#include "tuner/base/error.h"
#include "tuner/study/yaml_reader.h"

namespace tuner::testing {
namespace {

std::int64_t value_of(const Expression& expression, std::int64_t tile) {
  const auto value = expression.evaluate({{"problem_x", std::int64_t{1000}},
                                          {"block_size_x", std::int64_t{64}},
                                          {"tile", Value(tile)}});
  return value ? std::get<std::int64_t>(*value) : -1;
}

TEST(AnswersPer, TheReferenceTakesEachValueAndElseItsOwn) {
  const T1File file(whole_t1());
  const Study study = study_with_answers_per(file.accepted(), {"tile"});
  EXPECT_EQ(study.reference->per, std::vector<std::string>{"tile"});
  ASSERT_EQ(study.reference->configuration.size(), 1U);
  EXPECT_EQ(study.reference->configuration[0].first, "block_size_x");
  const LaunchSpec& launch = study.reference->launch;
  EXPECT_EQ(value_of(launch.block[0], 1), 64);
  EXPECT_EQ(value_of(launch.grid[0], 1), 16) << launch.grid[0].text();
  EXPECT_EQ(value_of(launch.grid[0], 4), 4) << launch.grid[0].text();
  EXPECT_EQ(value_of(launch.dynamic_shared_bytes, 1), 256);
  EXPECT_TRUE(study_with_answers_per(file.accepted(), {}).reference->per.empty());
}

std::string refused(const Study& study, const std::vector<std::string>& names) {
  try {
    study_with_answers_per(study, names);
    return {};
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find("--per"));
  }
}

TEST(AnswersPer, WhatIsNoParameterIsRefused) {
  const T1File file(whole_t1());
  EXPECT_EQ(refused(file.accepted(), {"tille"}),
            "--per: there is no parameter 'tille' (did you mean 'tile'?)");
  const Study study = accepted("schema: 1\nparameters:\n  B: [1, 2]\n");
  EXPECT_EQ(refused(study, {"B"}),
            "--per: it is for T1 files; a study says 'reference: {per: [NAME]}'");
}

}  // namespace
}  // namespace tuner::testing
