#include "tuner/study/yaml_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/study/study_folder.h"
#include "tests/unit/study/t1_file.h"
#include "tuner/check/checked_study.h"
#include "tuner/study/t1_reader.h"

namespace tuner::testing {
namespace {

namespace fs = std::filesystem;

YamlRef tree_of(const fs::path& file, const std::string& text, Diagnostics& diagnostics) {
  diagnostics = Diagnostics(file.string(), text);
  return parse_study_tree(diagnostics, form_of(file));
}

// A tree that is written reads as the same tree: written again, it is the same text, and as a study
// it is accepted without more warnings.
TEST(YamlText, OfAT1FileIsThatStudy) {
  const T1File t1(whole_t1());
  Diagnostics diagnostics("", "");
  const fs::path yaml = t1.path().parent_path() / "study.yaml";
  const std::string text =
      yaml_text(*tree_of(t1.path(), whole_t1(), diagnostics), "A remark\nof two lines");
  EXPECT_EQ(text.substr(0, 36), "# A remark\n# of two lines\nschema: 1\n");
  std::ofstream(yaml) << text;
  Diagnostics again("", "");
  EXPECT_EQ(yaml_text(*tree_of(yaml, text, again), "A remark\nof two lines"), text);
  const StudyFile read = read_study_file(yaml);
  EXPECT_EQ(read.warnings.size(), 0U);
  const Study study = t1.accepted();
  EXPECT_EQ(read.study.kernel.source, study.kernel.source);
  EXPECT_EQ(read.study.kernel.options, study.kernel.options);
  EXPECT_EQ(read.study.sizes, study.sizes);
  EXPECT_EQ(read.study.arguments.size(), study.arguments.size());
  EXPECT_TRUE(read.study.is_runnable());
}

TEST(YamlText, OfASpaceAloneCanBeChecked) {
  const std::string text =
      yaml_text(*space_tree({{"a", {std::int64_t{1}, 0.5, std::string("x \"y\" \\z")}, {}},
                             {"null", {true, false}, {}}}),
                "");
  EXPECT_EQ(text,
            "schema: 1\nparameters:\n  a: [1, 0.5, \"x \\\"y\\\" \\\\z\"]\n"
            "  \"null\": [true, false]\n");
}

}  // namespace
}  // namespace tuner::testing
