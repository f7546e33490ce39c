// Files as a whole: what is accepted, what it means, and that nothing can make reading explode.

#include <gtest/gtest.h>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/study/study_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/check/checked_study.h"

namespace tuner::testing {
namespace {

const std::filesystem::path kSource = TUNER_SOURCE_DIR;

std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(to_text(value));
  return texts;
}

std::string message_for(const std::filesystem::path& path) {
  try {
    read_study(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(WholeStudy, TenMistakesAreReportedInOneGo) {
  const std::filesystem::path folder = kSource / "tests/data/studies";
  std::string message = message_for(folder / "ten_mistakes.yaml");
  for (std::size_t at = message.find(folder.string()); at != std::string::npos;
       at = message.find(folder.string())) {
    message.erase(at, folder.string().size() + 1);
  }
  EXPECT_EQ(message, read_file(folder / "ten_mistakes.txt"));
}

TEST(WholeStudy, KeysThatBeginWithXHoldWhatAliasesRepeat) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "study.tuner.yaml";
  write_file_atomically(file,
                        "schema: 1\n"
                        "x-lists: {powers: &powers [1, 2, 4], unused: {any: thing}}\n"
                        "parameters: {A: *powers, B: *powers}\n");
  const Study study = read_study(file);
  EXPECT_EQ(texts_of(study.parameters.at(1).values), (std::vector<std::string>{"1", "2", "4"}));
  EXPECT_EQ(study.kernel.name, "study") << "as of study.yaml";
}

TEST(WholeStudy, ShippedStudiesAreReadWithoutWarnings) {
  int studies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "search_spaces")) {
    if (entry.path().extension() != ".yaml") continue;
    const StudyFile read = read_study_file(entry.path());
    EXPECT_TRUE(read.study.is_runnable()) << entry.path();
    EXPECT_TRUE(read.warnings.empty()) << render(read.warnings.front(), read.study.text);
    ++studies;
  }
  EXPECT_GE(studies, 3);
}

TEST(WholeStudy, TheManualsExampleIsReadWithoutWarnings) {
  const std::string manual = read_file(kSource / "docs/study-file.md");
  const std::size_t begin = manual.find("```yaml\n") + 8;
  std::string yaml = manual.substr(begin, manual.find("```", begin) - begin);
  const std::string source = "saxpy.cu";
  ASSERT_NE(yaml.find(source), std::string::npos);
  yaml.replace(yaml.find(source), source.size(), "k.cu");
  EXPECT_EQ(warnings_of(yaml), "");
}

TEST(WholeStudy, ParametersAloneAreEnoughForACheck) {
  const Study study = accepted("schema: 1\nparameters: {B: [1, 2]}\n");
  EXPECT_FALSE(study.is_runnable());
  EXPECT_EQ(study.kernel.name, "study");
  ASSERT_EQ(study.sizes.size(), 1U);
  EXPECT_TRUE(study.sizes[0].dims.empty());
}

const char* const kEverySection = R"yaml(schema: 1
kernel:
  name: k
  source: k.cu
  entry: "k<float, {B}>"
  define_prefix: ""
  options: [--use_fast_math, "-DX={d}"]
problem_sizes:
  - {M: 8, N: 16}
  - {N: 32, M: 4}
parameters: {B: [1, 2]}
derived: {d: B * 2, e: d + M}
constraints: [B < 3]
launch:
  block: {x: B, z: 2}
  grid: "ceil_div(N, B)"
  dynamic_shared_bytes: 4 * B
arguments:
  - {name: X, type: half, shape: [M, N], fill: {normal: [0, 2]}}
  - {name: Y, type: int8, shape: 2, role: inout, fill: {file: k.cu}}
  - {name: Z, type: int, shape: [1], role: out}
  - {name: W, type: uint8, shape: [B, device.multiprocessors], role: scratch}
  - {name: f, type: float32, value: 0.5}
constants:
  - {name: weights, type: float32, shape: [3], fill: {sequence: [1, 2]}}
reference:
  entry: r
  source: k.cu
  block: [32]
  grid: [1]
  arguments: [X, Y, Z]
verify: {Z: {atol: 1e-3 * M}, Y: }
metrics: {gbps: M / time, twice: 2 * gbps}
objective: {maximize: twice}
search:
  strategy: annealing
  options: {cooling: 0.9, restarts: 3}
  budget: {evaluations: 5, seconds: 1.5, target: 7, patience: 20}
measure: {cache: hot, min_samples: 3, max_samples: 9, max_milliseconds: 50, confidence: 0.9,
          precision: 0.1, drop_above: 0, finalists: 0, simpler_within: 0}
)yaml";

TEST(WholeStudy, KernelSizesAndSpaceArrive) {
  const Study study = accepted(kEverySection);
  EXPECT_TRUE(study.is_runnable());
  EXPECT_EQ(study.kernel.name, "k");
  EXPECT_EQ(study.kernel.entry, "k<float, {B}>");
  EXPECT_EQ(study.kernel.define_prefix, "");
  EXPECT_EQ(study.kernel.options, (std::vector<std::string>{"--use_fast_math", "-DX={d}"}));
  EXPECT_TRUE(study.kernel.source.is_absolute());
  ASSERT_EQ(study.sizes.size(), 2U);
  EXPECT_EQ(study.sizes[1], (ProblemSize{{{"M", 4}, {"N", 32}}})) << "order of the first size";
  ASSERT_EQ(study.derived.size(), 2U);
  EXPECT_EQ(study.derived[1].expression.text(), "d + M");
  EXPECT_EQ(study.constraints.at(0).text(), "B < 3");
  EXPECT_EQ(study.launch.block[0].text(), "B");
  EXPECT_TRUE(study.launch.block[1].empty());
  EXPECT_EQ(study.launch.block[2].text(), "2");
  EXPECT_EQ(study.launch.grid[0].text(), "ceil_div(N, B)");
  EXPECT_EQ(study.launch.dynamic_shared_bytes.text(), "4 * B");
}

TEST(WholeStudy, ArgumentsAndReferenceArrive) {
  const Study study = accepted(kEverySection);
  ASSERT_EQ(study.arguments.size(), 5U);
  const ArgumentSpec& x = study.arguments[0];
  EXPECT_EQ(x.type, DataType::kFloat16);
  EXPECT_EQ(x.shape.size(), 2U);
  EXPECT_EQ(x.role, Role::kIn);
  EXPECT_EQ(x.fill.kind, FillSpec::Kind::kNormal);
  EXPECT_EQ(x.fill.b, 2);
  EXPECT_EQ(study.arguments[1].role, Role::kInOut);
  EXPECT_EQ(study.arguments[1].fill.file.filename(), "k.cu");
  EXPECT_EQ(study.arguments[2].role, Role::kOut);
  EXPECT_EQ(study.arguments[3].role, Role::kScratch);
  EXPECT_TRUE(study.arguments[4].is_scalar);
  EXPECT_EQ(study.arguments[4].value.text(), "0.5");
  ASSERT_EQ(study.constants.size(), 1U);
  EXPECT_EQ(study.constants[0].fill.kind, FillSpec::Kind::kSequence);
  ASSERT_TRUE(study.reference);
  EXPECT_TRUE(study.reference->source);
  EXPECT_EQ(study.reference->arguments, (std::vector<std::string>{"X", "Y", "Z"}));
  ASSERT_EQ(study.verify.size(), 2U);
  EXPECT_EQ(study.verify[0].second.atol.text(), "1e-3 * M");
  EXPECT_TRUE(study.verify[0].second.rtol.empty());
  EXPECT_EQ(study.verify[1].first, "Y");
}

TEST(WholeStudy, SearchAndMeasureArrive) {
  const Study study = accepted(kEverySection);
  EXPECT_EQ(study.metrics.at(1).name, "twice");
  EXPECT_EQ(study.objective.name, "twice");
  EXPECT_TRUE(study.objective.maximize);
  EXPECT_EQ(study.search.strategy, "annealing");
  ASSERT_EQ(study.search.options.size(), 2U);
  EXPECT_EQ(study.search.options[0].name, "cooling");
  EXPECT_EQ(study.search.options[0].value, "0.9");
  EXPECT_GT(study.search.options[0].where.line, 1);
  EXPECT_EQ(study.search.options[1].value, "3");
  EXPECT_EQ(study.search.budget.evaluations, 5U);
  EXPECT_EQ(study.search.budget.seconds, 1.5);
  EXPECT_EQ(study.search.budget.target, 7);
  EXPECT_EQ(study.search.budget.patience, 20U);
  const MeasureSpec& measure = study.measure;
  EXPECT_EQ(measure.cache, CacheState::kHot);
  EXPECT_EQ(measure.min_samples, 3);
  EXPECT_EQ(measure.max_samples, 9);
  EXPECT_EQ(measure.max_milliseconds, 50);
  EXPECT_EQ(measure.confidence, 0.9);
  EXPECT_EQ(measure.precision, 0.1);
  EXPECT_EQ(measure.drop_above, 0);
  EXPECT_EQ(measure.finalists, 0);
  EXPECT_EQ(measure.simpler_within, 0);
}

TEST(WholeStudy, AStudyThatNamesNoStrategyHasTheDefault) {
  EXPECT_EQ(accepted("schema: 1\nparameters: {B: [1]}\n").search.strategy, "default");
}

TEST(WholeStudy, ValuesKeepTheirTypes) {
  const Study study = accepted(R"yaml(schema: 1
parameters:
  A: [0x10, 0o17, -3, +4, 010]
  B: [0.5, 1e3, .25, -2.]
  C: [true, False]
  D: [static, "1", 'true', yes, 1_a]
)yaml");
  EXPECT_EQ(study.parameters[0].values,
            (std::vector<Value>{std::int64_t{16}, std::int64_t{15}, std::int64_t{-3},
                                std::int64_t{4}, std::int64_t{10}}));
  EXPECT_EQ(study.parameters[1].values, (std::vector<Value>{0.5, 1e3, 0.25, -2.0}));
  EXPECT_EQ(study.parameters[2].values, (std::vector<Value>{true, false}));
  EXPECT_EQ(study.parameters[3].values,
            (std::vector<Value>{std::string("static"), std::string("1"), std::string("true"),
                                std::string("yes"), std::string("1_a")}));
  EXPECT_EQ(study.parameters[1].where.line, 4);
}

TEST(WholeStudy, RangesAndPowersIncludeBothEnds) {
  const Study study = accepted(R"yaml(schema: 1
parameters:
  A: {range: [1, 4]}
  B: {range: [-4, 5, 3]}
  C: {pow2: [2, 16]}
  D: {range: [9223372036854775806, 9223372036854775807]}
)yaml");
  EXPECT_EQ(texts_of(study.parameters[0].values), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(texts_of(study.parameters[1].values), (std::vector<std::string>{"-4", "-1", "2", "5"}));
  EXPECT_EQ(texts_of(study.parameters[2].values), (std::vector<std::string>{"2", "4", "8", "16"}));
  EXPECT_EQ(texts_of(study.parameters[3].values).back(), "9223372036854775807");
}

TEST(WholeStudy, AliasesRepeatWhatTheyName) {
  const Study study = accepted("schema: 1\nparameters: {A: &tiles [8, 16], B: *tiles}\n");
  EXPECT_EQ(study.parameters[1].values, study.parameters[0].values);
}

TEST(WholeStudy, NestedAliasesDoNotExplode) {
  std::string yaml = "schema: 1\nparameters:\n  a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    yaml += "  a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 8; ++j) yaml += ", " + last;
    yaml += "]\n";
  }
  EXPECT_EQ(complaints_of(yaml),
            "study.yaml:8:17: the file has more than 200000 entries, aliases followed");
}

TEST(WholeStudy, WindowsLineEndsChangeNothing) {
  EXPECT_EQ(complaints_of("schema: 1\r\nparameters: {B: [1]}\r\nconstraints:\r\n  - B < X\r\n"),
            complaints_of("schema: 1\nparameters: {B: [1]}\nconstraints:\n  - B < X\n"));
}

TEST(WholeStudy, WhatCannotBeReadSaysWhy) {
  EXPECT_EQ(message_for("no/such/study.yaml"),
            "no/such/study.yaml: cannot read the study: there is no such file");
  EXPECT_EQ(message_for(kSource / "tests"),
            (kSource / "tests").string() + ": cannot read the study: it is a directory");
  EXPECT_EQ(complaints_of(std::string("schema\0: 1\n", 11)),
            "study.yaml: cannot read the study: it is not a text file");
  EXPECT_EQ(complaints_of("schema: 1\nparameters: {B: [1]}\n" + std::string(5U << 20, '#')),
            "study.yaml: the file is larger than 4 MiB");
}

// Every prefix of a real study is either a study or a list of complaints, never a crash.
TEST(WholeStudy, TornFilesAreComplainedOf) {
  const std::string whole = kEverySection;
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const std::string message = complaints_of(whole.substr(0, length));
    EXPECT_TRUE(message.empty() || message.starts_with("study.yaml:")) << message;
  }
}

}  // namespace
}  // namespace tuner::testing
