#include "tuner/base/terminal_text.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(TerminalText, ControlCharactersOfEveryKindBecomeBlanks) {
  EXPECT_EQ(for_terminal("a\x1b[31mb\x7f\r\n\tc"), "a [31mb    c");
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "31m|\xc2\x85|\x9b|\xe0\x82\x9b|"),
            " 31m| | | |");
  EXPECT_EQ(for_terminal(std::string_view("a\0b", 3)), "a b");
}

TEST(TerminalText, MarksThatTurnTheDirectionBecomeBlanks) {
  EXPECT_EQ(for_terminal("a\xe2\x80\xae"
                         "b\xe2\x81\xa6"
                         "c"),
            "a b c");
}

TEST(TerminalText, OtherTextStaysAsItIs) {
  const std::string text = "±0.5% größer 漢字 🙂 NVIDIA H200";
  EXPECT_EQ(for_terminal(text), text);
}

TEST(TerminalText, LinesMayStay) { EXPECT_EQ(lines_for_terminal("a\n\x1b b\r\n"), "a\n  b \n"); }

TEST(TerminalText, TornCharactersBecomeBlanks) {
  EXPECT_EQ(for_terminal("a\xe2\x80"), "a  ");
  EXPECT_EQ(for_terminal("\xff|"), " |");
}

}  // namespace
}  // namespace tuner
