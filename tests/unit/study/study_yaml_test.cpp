#include "tuner/study/study_yaml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/study/study_folder.h"
#include "tests/unit/study/t1_file.h"
#include "tuner/check/checked_study.h"

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

TEST(StudyYaml, AFillThatItCannotWriteIsAnErrorAndNotZeros) {
  Study study;
  study.runnable = true;
  study.sizes.emplace_back();
  ArgumentSpec argument;
  argument.name = "x";
  argument.fill.kind = FillSpec::Kind::kNormal;
  study.arguments.push_back(argument);
  EXPECT_THROW(study_yaml(study, "."), FatalError);
}

}  // namespace
}  // namespace tuner::testing
