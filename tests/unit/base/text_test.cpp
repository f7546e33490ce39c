// How words of printed commands are quoted.

#include "tuner/base/text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tuner
