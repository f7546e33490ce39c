// The sources of 'search: advice', and what is wrong with them.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

std::string study_with(const std::string& advice) {
  return "schema: 1\nparameters: {BM: [1, 2], BN: [1, 2]}\nsearch: {advice: " + advice + "}\n";
}

TEST(AdviceSection, EachSourceSaysWhereItsProposalsComeFrom) {
  const Study study = accepted(
      study_with("[{file: sub/heuristics.json}, {command: python3 'my propose.py' --fast}, "
                 "{plugin: model, options: {top: 3}}, {nvmatmul: {BM: tile_m, BN: tile_n}}]"));
  const auto& all = study.search.advice;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].name, "heuristics");
  EXPECT_EQ(all[0].words.front(), (study.file.parent_path() / "sub/heuristics.json").string());
  EXPECT_EQ(all[1].words, (std::vector<std::string>{"python3", "my propose.py", "--fast"}));
  EXPECT_EQ(all[1].name, "python3 'my propose.py' --fast");
  EXPECT_EQ(all[2].name, "model");
  EXPECT_EQ(all[2].options.at(0).value, "3");
  using Fields = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(all[3].fields, (Fields{{"BM", "tile_m"}, {"BN", "tile_n"}}));
}

TEST(AdviceSection, ASourceIsOneOfFour) {
  EXPECT_EQ(complaints_of(study_with("[{files: a.json}]")),
            "study.yaml:3:19: a source of 'advice' is one of 'file', 'command', 'plugin' and "
            "'nvmatmul'\n"
            "study.yaml:3:20: unknown key 'files' in a source of 'advice' (did you mean 'file'?)");
  EXPECT_EQ(complaints_of(study_with("[{file: a.json, plugin: x}]")),
            "study.yaml:3:19: a source of 'advice' is one of 'file', 'command', 'plugin' and "
            "'nvmatmul' (a list may have several sources)");
  EXPECT_EQ(complaints_of(study_with("a.json")),
            "study.yaml:3:18: 'advice' must be a list, not text");
  EXPECT_EQ(complaints_of(study_with("[{file: a.json, options: {x: 1}}]")),
            "study.yaml:3:34: 'file' is no plugin, so it cannot have 'options'");
}

TEST(AdviceSection, NvMatmulGivesFieldsToParametersOfTheStudy) {
  EXPECT_EQ(complaints_of(study_with("[{nvmatmul: {BK: tile_k}}]")),
            "study.yaml:3:31: unknown name 'BK' (did you mean 'BM'?)");
  EXPECT_EQ(complaints_of(study_with("[{nvmatmul: {}}]")),
            "study.yaml:3:30: 'nvmatmul' names no parameter ({BM: tile_m})");
  EXPECT_EQ(complaints_of(study_with("[{nvmatmul: {BM: tile}}]")).rfind("study.yaml:3:35: ", 0),
            0U);
}

TEST(AdviceSection, ACommandNeedsNoShell) {
  EXPECT_EQ(complaints_of(study_with("[{command: \"a | b\"}]")),
            "study.yaml:3:32: 'command': '|' needs a shell, and none is started (\"sh -c '...'\" "
            "starts one; in quotes a sign stands for itself)");
}

}  // namespace
}  // namespace tuner::testing
