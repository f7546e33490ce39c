#include "tuner/base/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace tuner {
namespace {

TEST(Interrupt, CountsWhatAsksForAnEnd) {
  const Interrupt interrupt;
  ::raise(SIGHUP);
  EXPECT_EQ(interrupt.count(), 1);
  ::raise(SIGHUP);  // the same end, told by the shell and by the system
  EXPECT_EQ(interrupt.count(), 1);
}

TEST(Interrupt, AnIgnoredEndOfTheTerminalStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const Interrupt interrupt;
    ::raise(SIGHUP);
    EXPECT_EQ(interrupt.count(), 0);
  }
  EXPECT_EQ(::signal(SIGHUP, before), SIG_IGN);
}

}  // namespace
}  // namespace tuner
