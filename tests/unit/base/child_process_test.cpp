#include "tuner/base/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/fakes/says.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

TEST(ChildProcess, TalksOverItsSocket) {
  ChildProcess child({"/bin/sh", "-c", "read line <&3; echo got:$line >&3"});
  ASSERT_EQ(::send(child.socket(), "hello\n", 6, 0), 6);
  char answer[32] = {};
  ASSERT_EQ(::recv(child.socket(), answer, sizeof answer, 0), 10);
  EXPECT_STREQ(answer, "got:hello\n");
  EXPECT_EQ(child.wait(), "ended with status 0");
}

TEST(ChildProcess, SaysHowItEnded) {
  ChildProcess crashed({"/bin/sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(crashed.wait(), "killed by signal 11 (Segmentation fault)");
  ChildProcess failed({"/bin/sh", "-c", "exit 3"});
  EXPECT_EQ(failed.wait(), "ended with status 3");
}

// As a coordinator does: it sees the end of the connection first.
void wait_for_end_of_connection(const ChildProcess& child) {
  char byte = 0;
  EXPECT_EQ(::recv(child.socket(), &byte, 1, 0), 0);
}

TEST(ChildProcess, KnowsWhetherSomebodyElseKilledIt) {
  ChildProcess by_others({"/bin/sh", "-c", "kill -KILL $$"});
  wait_for_end_of_connection(by_others);
  by_others.let_end();
  by_others.kill();  // too late to count
  by_others.wait();
  EXPECT_TRUE(by_others.killed_from_outside());
  ChildProcess by_us({"/bin/sleep", "600"});
  by_us.kill();
  EXPECT_EQ(by_us.wait(), "killed by signal 9 (Killed)");
  EXPECT_FALSE(by_us.killed_from_outside());
  ChildProcess crashed({"/bin/sh", "-c", "kill -SEGV $$"});
  crashed.wait();
  EXPECT_FALSE(crashed.killed_from_outside());
}

// Often enough to find most of them between the two ends.
TEST(ChildProcess, OneThatHasClosedItsConnectionByDyingIsNotKilledByUs) {
  for (int i = 0; i < 50; ++i) {
    ChildProcess child({"/bin/sh", "-c", "kill -KILL $$"});
    wait_for_end_of_connection(child);
    child.kill();
    EXPECT_EQ(child.wait(), "killed by signal 9 (Killed)");
    EXPECT_TRUE(child.killed_from_outside());
  }
}

TEST(ChildProcess, OneThatHasClosedItsConnectionAndLivesIsKilledByUs) {
  ChildProcess child({"/bin/sh", "-c", "exec 3>&-; sleep 600"});
  wait_for_end_of_connection(child);
  child.let_end();
  child.kill();
  child.wait();
  EXPECT_FALSE(child.killed_from_outside());
}

TEST(ChildProcess, KeepsTheTailOfItsOutput) {
  ChildProcess child({"/bin/sh", "-c", "echo out; echo err >&2"});
  child.wait();
  EXPECT_EQ(child.output_tail(), "out\nerr");
  EXPECT_EQ(child.output_tail(3), "rr");
  child.clear_output();
  EXPECT_EQ(child.output_tail(), "");
}

TEST(ChildProcess, KillReachesItsGrandchildren) {
  pid_t grandchild = 0;
  {
    ChildProcess child({"/bin/sh", "-c", "sleep 600 & echo $! >&3; wait"});
    char answer[32] = {};
    ASSERT_GT(::recv(child.socket(), answer, sizeof answer - 1, 0), 0);
    grandchild = std::atoi(answer);
    ASSERT_EQ(::kill(grandchild, 0), 0);
  }
  for (int i = 0; i < 3000 && ::kill(grandchild, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // An orphan that nobody reaps stays visible as a zombie; that is dead enough.
    const std::string stat = "/proc/" + std::to_string(grandchild) + "/stat";
    if (std::FILE* f = std::fopen(stat.c_str(), "r")) {
      char state = 0;
      const int read = std::fscanf(f, "%*d (%*[^)]) %c", &state);
      std::fclose(f);
      if (read == 1 && state == 'Z') return;
    }
  }
  EXPECT_NE(::kill(grandchild, 0), 0);
}

TEST(ChildProcess, MissingProgramIsAnErrorWithItsName) {
  try {
    ChildProcess child({"/no/such/program"});
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_TRUE(says(error.what(), "/no/such/program"));
  }
}

TEST(ChildProcess, IsSeenToEndInTimeOrNotTo) {
  const ChildProcess quick({"/bin/true"});
  EXPECT_TRUE(quick.ends_within(60));
  const ChildProcess slow({"/bin/sleep", "600"});
  EXPECT_FALSE(slow.ends_within(0.05));
}

}  // namespace
}  // namespace tuner
