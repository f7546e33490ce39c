// What a trial of a draft teaches the next draft.

#include "tuner/commands/draft_trial.h"

#include <gtest/gtest.h>

#include "tuner/commands/draft_lessons.h"

namespace tuner {
namespace {

using End = DraftTrial::End;

const Strings kArguments{"x", "y"};

TEST(DraftTrial, ACrashNamesTheBufferAndHowLargeItShouldBe) {
  const DraftTrial far = judged(
      "the worker was killed by signal 11 (Segmentation fault); its last output: thread (0,0,0) of "
      "block (3,0,0) uses an address 2000 bytes behind argument 2, a buffer of 1000 bytes",
      kArguments);
  EXPECT_EQ(far.end, End::kCrash);
  EXPECT_EQ(far.name, "y");
  EXPECT_EQ(far.times, 8);
  const DraftTrial near = judged(
      "the reference writes past the end of x: element 70 of 64, counted from 0", kArguments);
  EXPECT_EQ(near.end, End::kCrash);
  EXPECT_EQ(near.name, "x");
  EXPECT_EQ(near.times, 4);
}

TEST(DraftTrial, ThreadsOutsideOfSharedMemoryAreTooMany) {
  EXPECT_EQ(judged("the worker was killed by signal 11; its last output: thread (64,0,0) of block "
                   "(0,0,0) fails after a thread has written outside of the block's shared memory",
                   kArguments)
                .end,
            End::kShared);
}

TEST(DraftTrial, AGpuNamesNoBufferOfACrash) {
  const DraftTrial trial = judged(
      "problem size n65 cannot be prepared: the reference: kernel: CUDA_ERROR_ILLEGAL_ADDRESS (an "
      "illegal memory access was encountered)",
      kArguments);
  EXPECT_EQ(trial.end, End::kCrash);
  EXPECT_EQ(trial.name, "");
}

TEST(DraftTrial, RoundingAsksForMoreThanWasSeen) {
  const DraftTrial trial = judged(
      "right in the usual order of threads, wrong in another: y[877] = 0.247287, expected 0.247417 "
      "(2 of 1600 elements differ, max error 0.0005; allowed 0.00012 (rtol 0.0001, atol 0.0001); "
      "atol: 5.0e-04 would pass: rounding?)",
      kArguments);
  EXPECT_EQ(trial.end, End::kRounding);
  EXPECT_EQ(trial.name, "y");
  EXPECT_EQ(trial.atol, "2.0e-03");
}

TEST(DraftTrial, AWrongAnswerNamesItsOutput) {
  EXPECT_EQ(judged("y[0] = 7, expected 9 (2 of 8 elements differ, max error 2)", kArguments).name,
            "y");
  EXPECT_EQ(
      judged("y: number 83 in ascending order = 7, expected 9 (2 of 8 elements differ)", kArguments)
          .name,
      "y");
}

TEST(DraftTrial, AnErrorKeepsTheNamesOfHeaders) {
  EXPECT_EQ(judged("it does not compile:\n/tmp/a/k.cu:1:10: fatal error: c10/cuda/CUDAGuard.h: "
                   "No such file or directory",
                   kArguments)
                .message,
            "it does not compile: k.cu:1:10: c10/cuda/CUDAGuard.h: No such file or directory");
  EXPECT_EQ(judged("it does not compile:\nk.cu(3): warning #20168-D: ignored\n"
                   "ptxas error   : Entry function 'k' uses too much shared data",
                   kArguments)
                .message,
            "it does not compile: ptxas error   : Entry function 'k' uses too much shared data");
}

TEST(DraftTrial, NamesThatNobodyDefinesAreMacrosOfABuild) {
  const DraftTrial trial = judged(
      "the reference kernel: it does not compile:\nk.cu:3:1: error: 'num_blocks' was not declared "
      "in this scope",
      kArguments);
  EXPECT_EQ(trial.end, End::kCompile);
  EXPECT_EQ(trial.name, "num_blocks");
}

TEST(DraftTrial, AFunctionThatTheLinkerMissesIsNamed) {
  const DraftTrial trial = judged(
      "the reference kernel: it does not compile:\nvariant.cpp:(.text+0x70): undefined reference "
      "to `math::sine(double)'\ncollect2: error: ld returned 1 exit status",
      kArguments);
  EXPECT_EQ(trial.end, End::kCompile);
  EXPECT_EQ(trial.function, "sine");
  EXPECT_EQ(trial.message, "it does not compile: no file that was read defines sine()");
}

TEST(DraftTrial, ACompilerThatTakesTooLongIsNoErrorOfTheKernel) {
  const DraftTrial trial = judged(
      "the reference kernel: it does not compile (it shares its source with the variants):\n"
      "the compiler took longer than 8 s",
      kArguments);
  EXPECT_EQ(trial.end, End::kSlow);
  EXPECT_EQ(trial.message, "the compiler took longer than 8 s");
  const std::string error = "it does not compile:\nk.cu:3:1: error: 'seconds' has no type";
  EXPECT_EQ(judged(error, kArguments).end, End::kCompile);
}

TEST(DraftTrial, ARaceIsOneThatTheOrderOfThreadsDecides) {
  const std::string wrong = "y[0] = 7, expected 9 (2 of 8 elements differ, max error 2)";
  EXPECT_FALSE(judged(wrong, kArguments).is_race);
  EXPECT_TRUE(judged("right in the usual order of threads, wrong in another: " + wrong, kArguments)
                  .is_race);
}

DraftTrial unwritten(const char* output) { return {.end = End::kUnwritten, .name = output}; }

TEST(DraftLessons, ANaNOfAnOutputThatHasZerosComesFromBehindABuffer) {
  DraftLessons lessons;
  DraftRequest request;
  const DraftedStudy draft;
  ASSERT_TRUE(lessons.learn(unwritten("y"), draft, request));
  EXPECT_TRUE(request.unwritten.contains("y"));
  ASSERT_TRUE(lessons.learn(unwritten("y"), draft, request));
  EXPECT_TRUE(request.positive);
  ASSERT_TRUE(lessons.learn(unwritten("y"), draft, request));
  EXPECT_EQ(request.room_of("x"), 8);
}

TEST(DraftLessons, ABufferThatIsStillTooSmallGrowsFaster) {
  DraftLessons lessons;
  DraftRequest request;
  const DraftTrial crash{.end = End::kCrash, .name = "x", .times = 4};
  ASSERT_TRUE(lessons.learn(crash, {}, request));
  EXPECT_EQ(request.room_of("x"), 4);
  ASSERT_TRUE(lessons.learn(crash, {}, request));
  EXPECT_EQ(request.room_of("x"), 64);
}

TEST(DraftLessons, NumbersOfTheHostCodeAreExtentsAgainWhereThatWasNoHelp) {
  DraftLessons lessons;
  DraftRequest request;
  const DraftTrial crash{.end = End::kCrash, .name = "x", .times = 4};
  DraftedStudy draft;
  draft.has_numbers = true;
  ASSERT_TRUE(lessons.learn(crash, draft, request));
  EXPECT_TRUE(request.keeps_numbers);
  EXPECT_EQ(request.room_of("x"), 1);
  draft.has_numbers = false;
  ASSERT_TRUE(lessons.learn({.end = End::kCrash}, draft, request));
  EXPECT_FALSE(request.keeps_numbers);
  EXPECT_EQ(request.room_of("x"), 4);
}

TEST(DraftLessons, AnAnswerThatDiffersMayBeReadBehindABuffer) {
  DraftLessons lessons;
  DraftRequest request;
  DraftedStudy draft;
  draft.outputs = 2;
  const DraftTrial wrong{.end = End::kWrong, .name = "y"};
  ASSERT_TRUE(lessons.learn(wrong, draft, request));
  ASSERT_TRUE(lessons.learn(wrong, draft, request));
  EXPECT_EQ(request.room_of("x"), 8);
  EXPECT_TRUE(request.unsteady.empty());
}

TEST(DraftLessons, ARaceMayBeOneForPlacesInTheOutput) {
  DraftLessons lessons;
  DraftRequest request;
  DraftedStudy draft;
  draft.outputs = 2;
  const DraftTrial race{.end = End::kWrong, .name = "y", .is_race = true};
  ASSERT_TRUE(lessons.learn(race, draft, request));
  EXPECT_TRUE(request.any_order.contains("y"));
  EXPECT_TRUE(request.unsteady.empty());
  ASSERT_TRUE(lessons.learn(race, draft, request));  // it is not the order alone
  EXPECT_TRUE(request.any_order.empty());
  EXPECT_TRUE(request.unsteady.contains("y"));
}

TEST(DraftLessons, AnAnswerMadeOfAClockIsNotReadBehindABuffer) {
  DraftLessons lessons;
  DraftRequest request;
  DraftedStudy draft;
  draft.outputs = 2;
  draft.reads_clock = true;
  const DraftTrial wrong{.end = End::kWrong, .name = "y"};
  ASSERT_TRUE(lessons.learn(wrong, draft, request));
  ASSERT_TRUE(lessons.learn(wrong, draft, request));
  EXPECT_EQ(request.room_of("x"), 1);
  EXPECT_TRUE(request.unsteady.contains("y"));
}

}  // namespace
}  // namespace tuner
