// Parameters that are free only where a condition holds.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/study/study_folder.h"
#include "tuner/resolve/resolve.h"

namespace tuner::testing {
namespace {

SearchSpace conditional_space(const std::string& parameters) {
  const Study study = accepted("schema: 1\nproblem_sizes: [{N: 64}]\nparameters:\n" + parameters);
  return SearchSpace::build(space_definition(study, study.sizes.front(), nominal_facts("sm_90")));
}

std::set<std::string> all_of_space(const SearchSpace& space) {
  std::set<std::string> all;
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    std::string text;
    for (const Value& value : space.configuration(i)) text += to_text(value) + " ";
    all.insert(text);
  }
  return all;
}

// Among its values or beside them, and free where another one is that is free itself.
TEST(ConditionalParameters, ArePinnedWhereTheyAreNotFree) {
  const SearchSpace space = conditional_space(
      "  FORM: [\"naive\", \"warptile\"]\n"
      "  W: {values: [1, 2, 4], when: FORM == 'warptile', otherwise: 1}\n"
      "  D: {range: [2, 3], when: W > 1 and N > 32, otherwise: 0}\n"
      "  S: {values: [\"a\", \"b\"], when: FORM == 'warptile', otherwise: none}\n");
  std::set<std::string> right{"naive 1 0 none "};
  for (const std::string s : {"a", "b"}) {
    right.insert("warptile 1 0 " + s + " ");
    for (const std::string w : {"2", "4"}) {
      for (const std::string d : {"2", "3"})
        right.insert("warptile " + w + " " + d + " " + s + " ");
    }
  }
  EXPECT_EQ(all_of_space(space), right);
  EXPECT_EQ(to_text(space.parameters()[2].values.front()), "0") << "numbers still ascend";
  std::vector<ConfigIndex> near;
  std::vector<std::uint32_t> positions(4);
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    space.positions(i, positions);
    space.neighbours(positions, Neighbourhood::kHamming, near);
    for (const ConfigIndex one : near) EXPECT_LT(one, space.size());
  }
}

// 12 parameters of 1000 values that only one of four forms has, each pinned in the others.
TEST(ConditionalParameters, PinnedValuesCostNothing) {
  std::string parameters = "  FORM: [0, 1, 2, 3]\n";
  for (int i = 0; i < 12; ++i) {
    parameters += "  P" + std::to_string(i) +
                  ": {range: [1, 1000], when: FORM == " + std::to_string(i % 4) +
                  ", otherwise: " + std::to_string(i % 2) + "}\n";
  }
  const SearchSpace space = conditional_space(parameters);
  EXPECT_EQ(space.report().valid, "4000000000");
  EXPECT_LT(space.report().peak_bytes, std::size_t{16} << 20);
  EXPECT_LT(space.report().build_seconds, 2);
}

struct WrongWhen {
  std::string text;
  std::string message;
};

TEST(ConditionalParameters, EveryMistakeHasItsPlace) {
  const std::vector<WrongWhen> all{
      {"W: {values: [1, 2], when: F == 1, otherwise: none}",
       "study.yaml:3:70: 'otherwise' of 'W' is none, and its values are numbers"},
      {"W: {values: [\"a\"], when: F == 1, otherwise: 1}",
       "study.yaml:3:69: 'otherwise' of 'W' is 1, and its values are text"},
      {"W: {values: [true, false], when: F == 1, otherwise: 1.5}",
       "study.yaml:3:77: 'otherwise' of 'W' is 1.5, and its values are booleans"},
      {"W: {values: [1], when: Q == 1, otherwise: 1}", "study.yaml:3:48: unknown name 'Q'"},
      {"W: {values: [1], when: D == 1, otherwise: 1}", "study.yaml:3:48: unknown name 'D'"},
      {"W: {values: [1], when: W == 1, otherwise: 1}",
       "study.yaml:3:48: 'when' of 'W' cannot depend on 'W' itself"},
      {"W: {values: [1], when: V == 1, otherwise: 1}, V: {values: [1], when: W == 1, otherwise: 1}",
       "study.yaml:3:48: whether 'W' is used depends on itself: W depends on V depends on W"},
      {"W: {values: [1], when: F ==, otherwise: 1}", "study.yaml:3:52: "},
      {"W: {values: [1], when: F == 1}",
       "study.yaml:3:48: 'when' and 'otherwise' of 'W' belong together: the value where it is not "
       "free"},
      {"W: {values: [1], otherwise: 1}",
       "study.yaml:3:53: 'when' and 'otherwise' of 'W' belong together: the value where it is not "
       "free"},
      {"W: {when: F == 1, otherwise: 1}",
       "study.yaml:3:25: parameter 'W' must have one of 'values', 'range' and 'pow2'"},
      {"W: {values: [1, 2], range: [1, 2]}",
       "study.yaml:3:25: parameter 'W' must have one of 'values', 'range' and 'pow2'"},
      {"W: {values: [1], when: [F], otherwise: 1}",
       "study.yaml:3:48: 'when' must be an expression, not a list"},
      {"W: {values: [1], when: F == 1, otherwise: [1]}",
       "study.yaml:3:67: 'otherwise' must be a number, a boolean or text, not a list"},
      {"W: {values: [1], where: F == 1, otherwise: 1}",
       "study.yaml:3:42: unknown key 'where' in parameter 'W' (known: "}};
  for (const WrongWhen& one : all) {
    const std::string said =
        complaints_of("schema: 1\nproblem_sizes: [{N: 64}]\nparameters: {F: [1, 2], " + one.text +
                      "}\nderived: {D: F + 1}\n");
    EXPECT_EQ(said.substr(0, one.message.size()), one.message) << one.text << "\n" << said;
  }
}

}  // namespace
}  // namespace tuner::testing
