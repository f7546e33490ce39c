// Where there are colours, and where not.

#include "tuner/base/colours.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>

namespace tuner {
namespace {

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
