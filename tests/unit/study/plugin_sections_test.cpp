// problem, and metrics of observers: what a study leaves to plugins.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

const std::string kHead = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
)yaml";
const std::string kArguments = R"yaml(arguments:
  - {name: X, type: float, shape: [N], fill: problem}
  - {name: Y, type: float, shape: [N], role: out}
)yaml";

TEST(PluginSections, AProblemFillsAnswersAndJudgesWhereTheStudySaysSo) {
  const Study study =
      accepted(kHead + "problem: {name: csr, options: {exponent: 0.5}}\n" + kArguments +
               "reference: {by: problem, seeds: 3}\nverify: {Y: problem}\n");
  ASSERT_TRUE(study.problem);
  EXPECT_EQ(study.problem->name, "csr");
  ASSERT_EQ(study.problem->options.size(), 1U);
  EXPECT_EQ(study.problem->options[0].value, "0.5");
  EXPECT_EQ(study.problem->options[0].where.line, 6);
  EXPECT_EQ(study.problem->options[0].where.column, 32);
  EXPECT_EQ(study.arguments[0].fill.kind, FillSpec::Kind::kProblem);
  ASSERT_TRUE(study.reference);
  EXPECT_EQ(study.reference->from, AnswerSource::kProblem);
  EXPECT_EQ(study.reference->seeds, 3);
  EXPECT_EQ(study.reference->arguments, std::vector<std::string>{"Y"});
  EXPECT_TRUE(study.verify.at(0).second.by_problem);
  EXPECT_EQ(accepted(kHead + "problem: csr\n" + kArguments).problem->name, "csr");
}

TEST(PluginSections, WhatIsLeftToAProblemNeedsOne) {
  EXPECT_EQ(
      complaints_of(kHead + kArguments + "reference: {by: problem}\nverify: {Y: problem}\n"),
      R"text(study.yaml:7:46: 'fill' is left to a problem, and the study names none (problem: NAME)
study.yaml:9:17: 'reference' is left to a problem, and the study names none (problem: NAME)
study.yaml:10:13: the judgement of 'Y' is left to a problem, and the study names none (problem: NAME))text");
}

TEST(PluginSections, AReferenceByTheProblemHasNothingOfAKernel) {
  EXPECT_EQ(
      complaints_of(kHead + "problem: csr\n" + kArguments +
                    "reference: {by: problem, entry: k, swap: []}\n"),
      R"text(study.yaml:10:26: a reference by the problem is no kernel, so it cannot have 'entry'
study.yaml:10:36: a reference by the problem is no kernel, so it cannot have 'swap')text");
  EXPECT_EQ(complaints_of(kHead + "problem: csr\n" + kArguments + "reference: {by: hand}\n"),
            "study.yaml:10:17: 'by' must be problem, not 'hand'");
}

TEST(PluginSections, AProblemThatNothingIsLeftToEarnsAWarning) {
  const std::string text = warnings_of(kHead + "problem: csr\n" + R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
verify: none
)yaml");
  EXPECT_NE(text.find("study.yaml:6:1: nothing is left to the problem 'csr' ('fill: problem', "
                      "'reference: {by: problem}', or 'problem' in 'verify')"),
            std::string::npos)
      << text;
}

TEST(PluginSections, AMetricOfAnObserverIsUsedLikeAnyOther) {
  const Study study = accepted(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics:
  misses: {observer: counters, value: l2_misses, options: {launches: 3}}
  code: {observer: image}
  rate: misses / time
objective: {minimize: misses}
)yaml");
  ASSERT_EQ(study.observers.size(), 2U);
  EXPECT_EQ(study.observers[0].metric, "misses");
  EXPECT_EQ(study.observers[0].name, "counters");
  EXPECT_EQ(study.observers[0].value, "l2_misses");
  EXPECT_EQ(study.observers[0].options.at(0).name, "launches");
  EXPECT_EQ(study.observers[0].where.column, 22);
  EXPECT_EQ(study.observers[0].value_where.column, 39);
  EXPECT_EQ(study.observers[1].value, "");
  EXPECT_EQ(study.observers[1].value_where.column, 3) << "the metric's own name";
  EXPECT_EQ(study.metrics.size(), 3U);
  EXPECT_EQ(study.objective.name, "misses");
}

TEST(PluginSections, AMetricMayBeACounterOfTheDevice) {
  const Study study = accepted(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics:
  moved: {counter: dram__bytes.sum}
  rate: moved / time
)yaml");
  ASSERT_EQ(study.counters.size(), 1U);
  EXPECT_EQ(study.counters[0].name, "moved");
  EXPECT_EQ(study.counters[0].value, "dram__bytes.sum");
  EXPECT_EQ(study.metrics.size(), 2U);
}

TEST(PluginSections, ACounterHasAName) {
  EXPECT_EQ(complaints_of("schema: 1\nparameters: {B: [1, 2]}\nmetrics: {moved: {counter: }}\n"),
            "study.yaml:3:19: 'counter' is empty");
}

TEST(PluginSections, NoObjectiveDependsOnACounter) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics:
  moved: {counter: dram__bytes.sum}
  rate: moved / time
objective: {maximize: rate}
)yaml"),
            "study.yaml:6:23: the objective 'rate' depends on a hardware counter, which is read of "
            "finalists only (minimize: time)");
}

TEST(PluginSections, AMetricOfAnObserverNeedsItsName) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics:
  misses: {value: l2_misses, option: {}}
)yaml"),
            R"text(study.yaml:4:3: missing key 'observer' in a metric of an observer
study.yaml:4:30: unknown key 'option' in a metric of an observer (did you mean 'options'?))text");
}

}  // namespace
}  // namespace tuner::testing
