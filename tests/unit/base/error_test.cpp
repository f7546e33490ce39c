#include "tuner/base/error.h"

#include <gtest/gtest.h>

#include "tests/fakes/says.h"

namespace tuner {
namespace {

TEST(Complaint, RendersLikeACompilerWithCaret) {
  const std::string text = "schema: 1\nparameters:\n  BM: [32, sixtyfour]\n";
  const Complaint complaint{{"a.yaml", 3, 12}, "not a number", "quote it?"};
  EXPECT_EQ(render(complaint, text),
            "a.yaml:3:12: not a number (quote it?)\n"
            "      BM: [32, sixtyfour]\n"
            "               ^");
}

TEST(Complaint, WithoutPositionIsJustTheMessage) {
  EXPECT_EQ(render({{}, "unknown option '--sead'", ""}), "unknown option '--sead'");
}

TEST(InputError, CarriesAllComplaints) {
  const InputError error({{{"f", 1, 1}, "first", ""}, {{"f", 2, 3}, "second", ""}}, "a\nb\n");
  EXPECT_EQ(error.complaints().size(), 2U);
  EXPECT_STREQ(error.what(), "f:1:1: first\n    a\n    ^\nf:2:3: second\n    b\n     ^");
}

TEST(Complaint, OfALongLineOnlyTheNeighbourhoodIsShown) {
  const std::string line = std::string(5000, 'a') + "!" + std::string(5000, 'b');
  const std::string text = render({{"f", 1, 5001}, "here", ""}, line + "\n");
  EXPECT_LT(text.size(), 800U);
  const auto caret = text.rfind('^') - text.rfind('\n');
  const auto shown = text.find("aaa");
  EXPECT_EQ(text[shown + caret - 5], '!');
}

TEST(Complaint, ShowsNothingThatATerminalWouldObey) {
  const std::string text = render({{"f", 1, 1}, "no\x1b[2J", ""}, "\x1b]0;title\x07\n");
  EXPECT_EQ(text, "f:1:1: no [2J\n     ]0;title \n    ^");
}

TEST(InputError, OfCountlessComplaintsAHundredAreShown) {
  const InputError error(std::vector<Complaint>(5000, {{"f", 1, 1}, "wrong", ""}), "x\n");
  const std::string text = error.what();
  EXPECT_LT(text.size(), 5000U);
  EXPECT_TRUE(says(text, "... and 4900 more"));
}

TEST(NearestName, FindsAWordOfALongName) {
  const std::vector<std::string> known{"simulated_annealing", "random", "particle_swarm",
                                       "hybrid_swarm"};
  EXPECT_EQ(nearest_name("anealing", known), "simulated_annealing");
  EXPECT_EQ(nearest_name("swarm", known), "") << "two have it";
  EXPECT_EQ(nearest_name("particles", known), "particle_swarm");
}

TEST(NearestName, FindsSlipsAndNothingElse) {
  const std::vector<std::string> known{"parameters", "constraints", "BM", "BK"};
  EXPECT_EQ(nearest_name("paramters", known), "parameters");
  EXPECT_EQ(nearest_name("Constraint", known), "constraints");
  EXPECT_EQ(nearest_name("bm", known), "BM");
  EXPECT_EQ(nearest_name("launch", known), "");
  EXPECT_EQ(nearest_name("X", known), "");
}

}  // namespace
}  // namespace tuner
