// Text for a terminal, and its colours.

#include "tuner/base/terminal_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>

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

// ---- colours ------------------------------------------------------------------------------------

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// The program's end of a terminal whose other end nobody looks at.
class Terminal {
 public:
  Terminal() : other_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(other_);
    ::unlockpt(other_);
    file_.reset(std::fopen(::ptsname(other_), "w"));
  }
  ~Terminal() { ::close(other_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  std::FILE* file() const { return file_.get(); }

 private:
  int other_;
  File file_;
};

// Each test begins in an ordinary terminal's environment.
class ColoursTest : public testing::Test {
 protected:
  ColoursTest() {
    ::unsetenv("NO_COLOR");
    ::unsetenv("CLICOLOR_FORCE");
    ::setenv("TERM", "xterm", 1);
  }
  static bool any(const std::string& choice, std::FILE* out) {
    return Colours(choice, out).good("x") != "x";
  }
};

TEST_F(ColoursTest, ATerminalHasThemAndAFileHasNot) {
  const Terminal terminal;
  ASSERT_NE(terminal.file(), nullptr);
  const File file(std::tmpfile());
  EXPECT_TRUE(any("auto", terminal.file()));
  EXPECT_FALSE(any("auto", file.get()));
  EXPECT_FALSE(any("never", terminal.file()));
  EXPECT_TRUE(any("always", file.get()));
}

TEST_F(ColoursTest, AnyNoColorThatIsNotEmptySwitchesThemOff) {
  const Terminal terminal;
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(any("auto", terminal.file()));
  ::setenv("NO_COLOR", "0", 1);
  EXPECT_FALSE(any("auto", terminal.file()));
  EXPECT_TRUE(any("always", terminal.file())) << "what is typed goes before the environment";
}

TEST_F(ColoursTest, ADumbTerminalHasNone) {
  const Terminal terminal;
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(any("auto", terminal.file()));
}

TEST_F(ColoursTest, ClicolorForceMeansAPipeTooUnlessNoColorIsSet) {
  const File file(std::tmpfile());
  ::setenv("CLICOLOR_FORCE", "0", 1);
  EXPECT_FALSE(any("auto", file.get()));
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(any("auto", file.get()));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(any("auto", file.get()));
}

TEST(Wrapped, LinesBreakBetweenWords) {
  EXPECT_EQ(wrapped("one two three\n  four five", 9), "one two\n    three\n  four\n      five");
  EXPECT_EQ(wrapped("a unbreakable-word b", 6), "a\n    unbreakable-word\n    b");
  EXPECT_EQ(wrapped("one two three", 0), "one two three");
  EXPECT_EQ(wrapped("\x1b[32mone\x1b[0m two", 7), "\x1b[32mone\x1b[0m two")
      << "colours have no width";
  EXPECT_EQ(wrapped("größer als", 10), "größer als") << "characters, not bytes";
  EXPECT_EQ(wrapped("a  b\n\n", 9), "a  b\n\n");
}

TEST(Wrapped, CommandsAndLinesWithACaretStayWhole) {
  EXPECT_EQ(wrapped("  tuner run a.yaml --budget 5", 9), "  tuner run a.yaml --budget 5");
  EXPECT_EQ(wrapped("    parameters: {A: [1]}\n       ^", 9), "    parameters: {A: [1]}\n       ^");
}

TEST_F(ColoursTest, TextIsWrappedAndOnlyTheWordOfAWarningIs) {
  const Colours on("always", stdout);
  EXPECT_EQ(on.good("best"), "\x1b[32mbest\x1b[0m");
  EXPECT_EQ(on.bad(""), "");
  EXPECT_EQ(on.note("  warning: odd"), "  \x1b[33mwarning:\x1b[0m odd");
  EXPECT_EQ(on.note("no warning: odd"), "no warning: odd");
  EXPECT_EQ(on.note(" "), " ");
  EXPECT_EQ(Colours().note("warning: odd"), "warning: odd");
}

}  // namespace
}  // namespace tuner
