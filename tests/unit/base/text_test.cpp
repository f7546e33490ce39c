// How words of printed commands are quoted, and texts with numbers ordered.

#include "tuner/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tuner {
namespace {

TEST(ShellWord, IsQuotedWhereAShellWouldNotTakeItAsItIs) {
  EXPECT_EQ(shell_word("a/b-c_1.yaml"), "a/b-c_1.yaml");
  EXPECT_EQ(shell_word("M=1,N=2"), "M=1,N=2");
  EXPECT_EQ(shell_word("größe.yaml"), "größe.yaml");
  EXPECT_EQ(shell_word("my study.yaml"), "'my study.yaml'");
  EXPECT_EQ(shell_word("$(id);*"), "'$(id);*'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ComesBefore, ComparesDigitsAsNumbers) {
  const std::vector<std::string> ordered{"",
                                         "M",
                                         "M0",
                                         "M1",
                                         "M2_N9a",
                                         "M2_N10",
                                         "M10",
                                         "M74",
                                         "M75",
                                         "M76",
                                         "M725",
                                         "M779",
                                         "a.csv",
                                         "b",
                                         "sm_90",
                                         "sm_90a",
                                         "sm_100",
                                         "sm_103f",
                                         "z18446744073709551616",
                                         "z18446744073709551617"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t k = 0; k < ordered.size(); ++k) {
      EXPECT_EQ(comes_before(ordered[i], ordered[k]), i < k) << ordered[i] << " " << ordered[k];
    }
  }
  EXPECT_NE(comes_before("M01", "M1"), comes_before("M1", "M01"));
}

}  // namespace
}  // namespace tuner
