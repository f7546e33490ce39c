// Programs that answer, fail, hang, and write too much.

#include "tuner/base/asked_program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tuner/base/stopwatch.h"

namespace tuner {
namespace {

AskedProgram shell(const std::string& line, double seconds = 30) {
  return {{"sh", "-c", line}, std::filesystem::temp_directory_path(), seconds};
}

std::string failure_of(const AskedProgram& program) {
  const auto answer = answer_of(program, "", {});
  return answer ? "answered " + *answer : answer.error();
}

TEST(AskedProgram, ReadsTheQuestionAndItsOutputIsTheAnswer) {
  const auto answer = answer_of(shell("cat; echo; pwd; echo heard >&2"), "what?", {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "what?\n" + std::filesystem::temp_directory_path().string() + "\n");
}

TEST(AskedProgram, WordsAreNotLookedAtByAShell) {
  const AskedProgram program{{"echo", "$HOME; ls", "`x`"}, "/"};
  const auto answer = answer_of(program, "", {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "$HOME; ls `x`\n");
}

TEST(AskedProgram, AFailureIsTheStatusAndTheLastMessage) {
  EXPECT_EQ(failure_of(shell("echo first >&2; echo no luck >&2; exit 3")),
            "ended with status 3: no luck");
  EXPECT_EQ(failure_of(shell("kill -SEGV $$")), "killed by signal 11 (Segmentation fault)");
}

TEST(AskedProgram, OneThatIsNotThereCannotBeRun) {
  const std::string failure = failure_of({{"no-such-program"}, "/"});
  EXPECT_EQ(failure.rfind("cannot be run: ", 0), 0U) << failure;
  EXPECT_EQ(failure_of({{"true"}, "/no/such/folder"}).rfind("cannot be run", 0), 0U);
}

TEST(AskedProgram, OneThatHangsIsEndedWithWhatItHasStarted) {
  const Stopwatch since;
  EXPECT_EQ(failure_of(shell("sleep 100 & sleep 100", 0.2)), "took longer than 0.2 s");
  EXPECT_LT(since.seconds(), 30);
}

TEST(AskedProgram, OneThatWritesForEverIsEnded) {
  EXPECT_EQ(failure_of(shell("yes")), "wrote more than 4 MiB");
  EXPECT_EQ(failure_of(shell("yes >&2")), "wrote more than 4 MiB");
}

TEST(AskedProgram, AUserMayEndIt) {
  const auto answer = answer_of(shell("sleep 100"), "", [] { return true; });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), "was interrupted");
}

}  // namespace
}  // namespace tuner
