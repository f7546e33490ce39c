#include "tuner/base/error.h"

#include <gtest/gtest.h>

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
