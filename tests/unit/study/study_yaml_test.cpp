#include "tuner/study/study_yaml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/study/study_folder.h"
#include "tests/unit/study/t1_file.h"

namespace tuner::testing {
namespace {

namespace fs = std::filesystem;

// What is written is read as the same study: written again, it is the same text.
void expect_same_when_read_again(const Study& study) {
  const fs::path folder = study.kernel.source.parent_path().empty()
                              ? fs::temp_directory_path()
                              : study.kernel.source.parent_path();
  const std::string text = study_yaml(study, folder, "A remark\nof two lines");
  EXPECT_EQ(text.substr(0, 36), "# A remark\n# of two lines\nschema: 1\n");
  const fs::path file =
      fs::temp_directory_path() / ("tuner_yaml_" + std::to_string(::getpid()) + ".yaml");
  // The sources are named relative to `folder`: the file has to be there, or name them whole.
  std::ofstream(file) << study_yaml(study, file.parent_path());
  const Study again = read_study(file);
  EXPECT_EQ(study_yaml(again, folder), study_yaml(study, folder));
  EXPECT_EQ(again.kernel.source, study.kernel.source);
  EXPECT_EQ(again.runnable, study.runnable);
  EXPECT_EQ(again.kernel.language, study.kernel.language);
  fs::remove(file);
}

TEST(StudyYaml, OfAT1FileIsThatStudy) {
  const T1File file(whole_t1());
  expect_same_when_read_again(file.accepted());
}

TEST(StudyYaml, NamesSeveralSourcesAndTheirCompiler) {
  Study study = read_study(fs::path(TUNER_SOURCE_DIR) / "search_spaces" / "transpose.yaml");
  const fs::path folder = study.kernel.source.parent_path();
  study.kernel.units = {folder / "softmax.cu"};
  study.kernel.compiler = KernelCompiler::kNvcc;
  const std::string text = study_yaml(study, folder);
  EXPECT_NE(text.find("  sources: [\"transpose.cu\", \"softmax.cu\"]\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  compiler: nvcc\n"), std::string::npos) << text;
  expect_same_when_read_again(study);
}

TEST(StudyYaml, OfEveryShippedStudyIsThatStudy) {
  for (const char* folder : {"search_spaces", "search_spaces/opencl"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TUNER_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      SCOPED_TRACE(entry.path());
      const Study study = read_study(entry.path());
      EXPECT_EQ(study.kernel.language, std::string(folder) == "search_spaces" ? "cuda" : "opencl");
      expect_same_when_read_again(study);
    }
  }
}

TEST(StudyYaml, KeepsSearchAndMeasure) {
  Study study = T1File(whole_t1()).accepted();
  study.runnable = false;
  study.backend = {"cpu", {{"order", "random"}}, {}};
  study.search.strategy = "genetic";
  study.search.options = {{"population", "30"}};
  study.search.budget.target = 0.5;
  study.objective.beside = {{"power", false, {}}};
  study.measure.cache = CacheState::kHot;
  study.measure.inputs = TimedInputs::kFresh;
  study.measure.precision = 0.25;
  study.measure.simpler_within = 0;
  const std::string text = study_yaml(study, ".");
  EXPECT_NE(text.find("objective: {minimize: time, beside: [{minimize: power}]}\n"
                      "backend: {name: cpu, options: {order: \"random\"}}\nsearch:\n  "
                      "strategy: genetic\n  options: {population: \"30\"}\n"
                      "  budget: {target: 0.5}\nmeasure:\n  cache: hot\n  inputs: fresh\n"
                      "  precision: 0.25\n"
                      "  simpler_within: 0\n"),
            std::string::npos)
      << text;
}

TEST(StudyYaml, KeepsWhatLaunchesAskForAndHowTheyAreTimed) {
  const Study study = accepted(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {C: [1, 2]}
launch:
  block: [32]
  grid: [N]
  cluster: [C, 1]
  carveout: 50 * C
  scheduling: "'spread' if C > 1 else 'default'"
  work: 4 * N
  then:
    - {entry: f, block: [32], grid: [1], cooperative: True, programmatic: C > 1}
arguments: [{name: Y, type: float, shape: [N], role: out}]
measure: {mode: graph, cache: rotate}
)yaml");
  const LaunchAttributesSpec& main = study.launch.attributes;
  EXPECT_EQ(main.cluster[0].text(), "C");
  EXPECT_EQ(main.carveout.text(), "50 * C");
  EXPECT_EQ(study.then[0].launch.attributes.programmatic.text(), "C > 1");
  const std::string text = study_yaml(study, ".");
  EXPECT_NE(text.find("  carveout: \"50 * C\"\n"), std::string::npos) << text;
  EXPECT_EQ(study.work.text(), "4 * N");
  EXPECT_NE(text.find("  work: \"4 * N\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("cooperative: \"True\", programmatic: \"C > 1\""), std::string::npos) << text;
  EXPECT_NE(text.find("measure:\n  mode: graph\n  cache: rotate\n"), std::string::npos) << text;
}

TEST(StudyYaml, OfASpaceAloneCanBeChecked) {
  Study study;
  study.sizes.emplace_back();
  study.parameters = {{"a", {std::int64_t{1}, 0.5, std::string("x \"y\" \\z")}, {}},
                      {"b", {true, false}, {}}};
  study.constraints = {Expression::parse_or_throw("a != 'q' or b")};
  const std::string text = study_yaml(study, ".");
  EXPECT_EQ(text,
            "schema: 1\nparameters:\n  a: [1, 0.5, \"x \\\"y\\\" \\\\z\"]\n"
            "  b: [true, false]\nconstraints:\n  - \"a != 'q' or b\"\n");
}

}  // namespace
}  // namespace tuner::testing
