// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(SearchSections, ObjectiveIsTimeOrAMetric) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics: {gflops: 1 / time}
objective: {maximize: glfops}
)yaml"),
            "study.yaml:4:23: the objective 'glfops' is neither time, power, energy nor a metric "
            "(did you mean 'gflops'?)");
}

TEST(SearchSections, EnergyAsObjectiveIsAMetricOfThatName) {
  const Study study = accepted(R"yaml(schema: 1
parameters: {B: [1, 2]}
objective: {minimize: energy}
)yaml");
  EXPECT_EQ(study.objective.name, "energy");
  ASSERT_EQ(study.metrics.size(), 1U);
  EXPECT_EQ(study.metrics[0].name, "energy");
}

TEST(SearchSections, ABackendHasANameAndMayHaveOptions) {
  const Study plain = accepted("schema: 1\nparameters: {B: [1, 2]}\nbackend: cpu\n");
  EXPECT_EQ(plain.backend.name, "cpu");
  EXPECT_TRUE(plain.backend.options.empty());
  const Study study = accepted(R"yaml(schema: 1
parameters: {B: [1, 2]}
backend: {name: cpu, options: {order: random, seed: 7}}
)yaml");
  EXPECT_EQ(study.backend.name, "cpu");
  ASSERT_EQ(study.backend.options.size(), 2U);
  EXPECT_EQ(study.backend.options[1].name, "seed");
  EXPECT_EQ(study.backend.options[1].value, "7");
  EXPECT_EQ(study.backend.options[1].where.column, 47);
  EXPECT_EQ(
      complaints_of("schema: 1\nparameters: {B: [1, 2]}\nbackend: {name: auto, options: {a: 1}}\n"),
      "study.yaml:3:17: options need the name of their backend");
}

TEST(SearchSections, ObjectivesMayStandBesideTheFirst) {
  const Study study = accepted(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics: {gflops: 1 / time}
objective: {minimize: energy, beside: [{minimize: time}, {maximize: gflops}]}
)yaml");
  EXPECT_EQ(study.objective.name, "energy");
  ASSERT_EQ(study.objective.beside.size(), 2U);
  EXPECT_EQ(study.objective.beside[0].name, "time");
  EXPECT_FALSE(study.objective.beside[0].maximize);
  EXPECT_EQ(study.objective.beside[1].name, "gflops");
  EXPECT_TRUE(study.objective.beside[1].maximize);
  EXPECT_EQ(study.metrics.size(), 2U);
}

TEST(SearchSections, ObjectivesBesideTheFirstAreOthers) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
objective: {minimize: time, beside: [{minimize: power}, {minimise: time}, {minimize: power}]}
)yaml"),
            R"text(study.yaml:3:57: an objective beside it must have either 'minimize' or 'maximize'
study.yaml:3:58: unknown key 'minimise' in an objective beside it (did you mean 'minimize'?)
study.yaml:3:75: 'power' is an objective already)text");
}

TEST(SearchSections, AParameterMayBeCalledPower) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {power: [1, 2]}
constraints: [power < 2]
)yaml"),
            "");
}

TEST(SearchSections, ObjectiveHasOneDirection) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
objective: {minimize: time, maximize: time}
)yaml"),
            "study.yaml:3:1: 'objective' must have either 'minimize' or 'maximize'");
}

TEST(SearchSections, ObjectiveNeedsADirection) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
objective: {}
)yaml"),
            "study.yaml:3:1: 'objective' must have either 'minimize' or 'maximize'");
}

TEST(SearchSections, TimeCannotBeMaximized) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
objective: {maximize: time}
)yaml"),
            "study.yaml:3:23: time cannot be maximized (minimize: time)");
}

TEST(SearchSections, MetricsAreReadFromTheTop) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
metrics: {a: b, b: time * X}
)yaml"),
            R"text(study.yaml:3:14: 'b' is defined further down; a metric sees only what is above it
study.yaml:3:27: unknown name 'X')text");
}

TEST(SearchSections, BudgetsArePositive) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
search: {budget: {evaluations: 0, seconds: -1, patience: 1.5, target: fast, hours: 1}}
)yaml"),
            R"text(study.yaml:3:32: 'evaluations' must be at least 1, not 0
study.yaml:3:44: 'seconds' must be above 0, not -1
study.yaml:3:58: 'patience' must be an integer, not a number
study.yaml:3:71: 'target' must be a number, not text
study.yaml:3:77: unknown key 'hours' in 'budget' (known: evaluations, seconds, target and patience))text");
}

TEST(SearchSections, StrategyOptionsAreAMap) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
search: {strategy: [a], options: [b], budget: 5}
)yaml"),
            R"text(study.yaml:3:20: 'strategy' must be text, not a list
study.yaml:3:34: 'options' of the search must be a map (key: value), not a list
study.yaml:3:47: 'budget' must be a map (key: value), not an integer)text");
}

TEST(SearchSections, MeasureSaysHowLaunchesAreTimed) {
  const Study usual = accepted("schema: 1\nparameters: {B: [1]}\nmeasure: {mode: stream}\n");
  EXPECT_EQ(usual.measure.mode, LaunchMode::kStream);
  EXPECT_EQ(usual.measure.cache, CacheState::kCold);
  const Study deployed =
      accepted("schema: 1\nparameters: {B: [1]}\nmeasure: {mode: graph, cache: rotate}\n");
  EXPECT_EQ(deployed.measure.mode, LaunchMode::kGraph);
  EXPECT_EQ(deployed.measure.cache, CacheState::kRotate);
  EXPECT_EQ(deployed.measure.inputs, TimedInputs::kSame);
  const Study fresh = accepted("schema: 1\nparameters: {B: [1]}\nmeasure: {inputs: fresh}\n");
  EXPECT_EQ(fresh.measure.inputs, TimedInputs::kFresh);
  EXPECT_EQ(complaints_of("schema: 1\nparameters: {B: [1]}\nmeasure: {mode: grahp}\n"),
            "study.yaml:3:17: 'mode' must be stream or graph, not 'grahp' (did you mean 'graph'?)");
}

// A study of y = x whose x is filled so, and what else it says.
std::string study_of(const std::string& fill, const std::string& rest) {
  return "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nparameters: {B: [1]}\n"
         "launch: {block: [32], grid: [1]}\narguments:\n"
         "  - {name: x, type: float32, shape: [8], fill: " +
         fill + "}\n  - {name: y, type: float32, shape: [8], role: out}\n" + rest +
         "measure: {inputs: fresh}\n";
}

TEST(SearchSections, FreshInputsNeedRandomOnesAndAReferenceThatKnowsTheirAnswer) {
  const std::string kernel = "reference: {entry: r, block: [1], grid: [1]}\n";
  const std::string file = "reference: {file: " TUNER_SOURCE_DIR "/README.md}\n";
  EXPECT_EQ(accepted(study_of("{integers: [0, 9]}", kernel)).measure.inputs, TimedInputs::kFresh);
  EXPECT_EQ(
      complaints_of(study_of("{sequence: [0, 1]}", kernel)),
      "study.yaml:9:19: 'inputs: fresh' needs an argument that is filled with 'uniform', 'normal', "
      "'integers', 'zipf' or by the problem: all others hold the same numbers each time (inputs: "
      "same)");
  EXPECT_EQ(complaints_of(study_of("{uniform: [0, 1]}", file)),
            "study.yaml:9:19: 'inputs: fresh' cannot be verified with a reference from files, "
            "which is the answer for one set of inputs (inputs: same, or a kernel as reference)");
  EXPECT_EQ(complaints_of("schema: 1\nparameters: {B: [1]}\nmeasure: {inputs: frehs}\n"),
            "study.yaml:3:19: 'inputs' must be same or fresh, not 'frehs' (did you mean 'fresh'?)");
}

TEST(SearchSections, MeasureLimits) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
measure:
  cache: warm
  min_samples: 0
  max_samples: many
  max_milliseconds: 0
  confidence: 1
  precision: -0.1
  drop_above: 0.5
  finalists: -1
  simpler_within: 1
)yaml"),
            R"text(study.yaml:4:10: 'cache' must be cold, hot or rotate, not 'warm'
study.yaml:5:16: 'min_samples' must be from 1 to 1000000, not 0
study.yaml:6:16: 'max_samples' must be an integer, not text
study.yaml:7:21: 'max_milliseconds' must be above 0, not 0
study.yaml:8:15: 'confidence' must be between 0 and 1, not 1
study.yaml:9:14: 'precision' must be between 0 and 1, not -0.1
study.yaml:10:15: 'drop_above' must be above 1, or 0 for never, not 0.5
study.yaml:11:14: 'finalists' must be from 0 to 1000000, not -1
study.yaml:12:19: 'simpler_within' must be from 0 and below 1, not 1)text");
}

TEST(SearchSections, SamplesMustNotContradict) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
measure: {min_samples: 9, max_samples: 5}
)yaml"),
            "study.yaml:3:27: 'max_samples' (5) is below 'min_samples' (9)");
}

}  // namespace
}  // namespace tuner::testing
