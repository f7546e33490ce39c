// Answers that are right at first only, writes outside of buffers and into inputs, and references
// that tell little.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

// ---- what is timed is verified ------------------------------------------------------------------

constexpr const char* kOnceOnly =
    "right at first, wrong when launched again after the timing: y[0] = ";

class OnceOnly : public EvaluationTest {
 protected:
  // Doubles only where `works` says so.
  Verdict evaluate_lazy(const std::function<bool(const Call&, int launches)>& works) {
    auto& kernel = add_kernel("lazy", {});
    kernel.launches = 0;
    kernel.body = [&kernel, works](const Call& call) {
      if (works(call, kernel.launches)) doubled(call);
    };
    return evaluate("lazy");
  }
};

TEST_F(OnceOnly, AKernelThatSkipsAnOutputThatIsThereIsWrong) {
  const Verdict verdict =
      evaluate_lazy([](const Call& call, int) { return std::isnan(call.buffer<float>(kY)[0]); });
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message.find(kOnceOnly), 0U) << verdict.message;
  EXPECT_TRUE(verdict.timing.samples.empty());
}

// The right answers are 2 to 200, what is put in their place is drawn from 0 to 200: a kernel that
// looks whether a number may be an answer finds that it may.
TEST_F(OnceOnly, AKernelThatSkipsAnOutputThatLooksLikeAnAnswerIsWrong) {
  const Verdict verdict = evaluate_lazy([](const Call& call, int) {
    const float there = call.buffer<float>(kY)[0];
    return !(there >= 0 && there <= 200);
  });
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message.find(kOnceOnly), 0U) << verdict.message;
}

TEST_F(OnceOnly, AKernelThatWorksInItsFirstLaunchesOnlyIsWrong) {
  for (const int working : {1, 2, 5}) {
    const Verdict verdict =
        evaluate_lazy([working](const Call&, int launches) { return launches <= working; });
    EXPECT_EQ(verdict.state, TrialState::kCorrectness) << working;
    EXPECT_TRUE(verdict.message.ends_with(", after repeated launches")) << verdict.message;
  }
  const Verdict later = evaluate_lazy([](const Call&, int launches) { return launches <= 9; });
  EXPECT_EQ(later.message.find(kOnceOnly), 0U) << later.message;
}

// Each begins as one that is looked at does.
TEST_F(OnceOnly, NoTimedLaunchFindsAnAnswerInPlace) {
  int found = 0;
  add_kernel("good", [&found](const Call& call) {
    found += std::isnan(call.buffer<float>(kY)[0]) ? 0 : 1;
    doubled(call);
  });
  EXPECT_EQ(evaluate(not_better("good")).state, TrialState::kOk);
  EXPECT_EQ(found, 1) << "the decoy";
  for (const TimingRequest& request : backend_.timings) EXPECT_EQ(request.fills.size(), 2U);
}

// Some of the samples are looked at, which ones is drawn; all but the first three of what may win.
TEST_F(OnceOnly, AKernelThatSkipsMostOfTheLaunchesThatCountIsWrong) {
  const auto skips = [](int first, int last) {
    return [=](const Call&, int launches) { return launches < first || launches > last; };
  };
  EXPECT_EQ(evaluate_lazy(skips(3, 5)).state, TrialState::kCorrectness) << "the probes";
  EXPECT_EQ(evaluate_lazy(skips(6, 8)).state, TrialState::kCorrectness) << "all but the last";
  EXPECT_EQ(evaluate_lazy(skips(7, 7)).state, TrialState::kCorrectness) << "one of what may win";
}

TEST_F(OnceOnly, ASingleNumberIsNoExcuse) {
  plan_.arguments[kY].elements = 1;
  const auto sum = [](const Call& call) {
    float total = 0;
    for (int i = 0; i < kElements; ++i) total += call.buffer<float>(kX)[i];
    call.buffer<float>(kY)[0] = total;
  };
  add_kernel("reference", sum);
  add_kernel("good", sum);
  auto& ticket = add_kernel("ticket", {});  // of which the last block forgets to set it back
  ticket.body = [&ticket, sum](const Call& call) {
    if (ticket.launches == 1) sum(call);
  };
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(evaluate("ticket").state, TrialState::kCorrectness);
}

TEST_F(OnceOnly, SeesItInIntegersOfEveryKind) {
  plan_.arguments[kY].type = DataType::kInt32;
  int factor = 0;
  const auto multiples = [&factor](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<std::int32_t>(kY)[i] = factor * i;
  };
  add_kernel("reference", multiples);
  add_kernel("good", multiples);
  auto& lazy = add_kernel("lazy", {});
  lazy.body = [&](const Call& call) {
    if (lazy.launches == 1) multiples(call);
  };
  for (const int one : {0, 1, -1, 7}) {  // 0: nothing but zeros
    factor = one;
    lazy.launches = 0;
    evaluation_.reset();
    EXPECT_EQ(evaluate("good").state, TrialState::kOk) << one;
    EXPECT_EQ(evaluate("lazy").state, TrialState::kCorrectness) << one;
  }
}

TEST_F(OnceOnly, OneElementThatIsSkippedBecauseItIsRightIsSeenOnPoison) {
  add_kernel("lazy", [](const Call& call) {
    for (int i = 0; i < kElements; ++i) {
      float& y = call.buffer<float>(kY)[i];
      if (y >= 0 && y <= 1e30F && i == 3) continue;
      y = 2 * call.buffer<float>(kX)[i];
    }
  });
  EXPECT_EQ(evaluate("lazy").state, TrialState::kCorrectness);
}

TEST_F(OnceOnly, OneLaunchMoreIsAllItCosts) {
  evaluate(not_better("good"));
  EXPECT_EQ(backend_.kernels.at("good").launches, 1 + 8 + 1) << "verified, timed, on decoys";
  plan_.measure.cache = CacheState::kHot;
  evaluation_.reset();
  add_kernel("another", doubled);
  evaluate(not_better("another"));
  EXPECT_EQ(backend_.kernels.at("another").launches, 1 + 8 + 2)
      << "a sample may have several launches: on poison, too";
}

// ---- what tells the right answer
// -----------------------------------------------------------------

// Four numbers of the answer are nowhere but in the output, whenever a kernel begins.
TEST_F(EvaluationTest, NoBufferHoldsTheRightAnswerWhileAKernelRuns) {
  std::size_t most = 0;
  add_kernel("nosy", [&](const Call& call) {
    call.buffer<float>(kY)[50] = 0;
    const std::array<float, 4> right{100, 102, 104, 106};  // 2 x from 50 on
    most = std::max(most, backend_.holding(std::as_bytes(std::span(right))));
    doubled(call);
  });
  plan_.deterministic = true;
  plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 0, 1, {}};
  EXPECT_EQ(evaluate("nosy").state, TrialState::kOk);
  EXPECT_EQ(most, 0U);
}

// ---- guards and inputs
// ---------------------------------------------------------------------------

TEST_F(EvaluationTest, SeesOneElementInFront) {
  add_kernel("underrun", doubled_then([](const Call& call) { call.buffer<float>(kY)[-1] = 7; }));
  add_kernel("far", doubled_then([](const Call& call) { call.buffer<float>(kX)[-256] = 7; }));
  EXPECT_EQ(wrong("underrun"), "write in front of y: element -1");
  EXPECT_EQ(evaluate("far").message, "write in front of x: element -256");
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "the guard words are restored";
}

TEST_F(EvaluationTest, SeesAWriteInFrontOfWhatIsRestoredBeforeEveryLaunch) {
  plan_.arguments[kY].role = Role::kInOut;
  plan_.arguments.push_back(argument("work", Role::kScratch));
  add_kernel("inout", doubled_then([](const Call& call) { call.buffer<float>(kY)[-1] = 7; }));
  add_kernel("scratch", doubled_then([](const Call& call) { call.buffer<float>(3)[-2] = 7; }));
  EXPECT_EQ(evaluate("inout").message, "write in front of y: element -1");
  EXPECT_EQ(evaluate("scratch").message, "write in front of work: element -2");
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
}

TEST_F(EvaluationTest, NamesAnInputThatIsChangedWhereTheOutputDoesNotNeedIt) {
  plan_.arguments[kX].elements = kElements + 1;
  add_kernel("spoiler", doubled_then([](const Call& call) { call.buffer<float>(kX)[100] = 0; }));
  const Verdict verdict = evaluate("spoiler");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message, "changes its input x");
  EXPECT_TRUE(verdict.timing.samples.empty());
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "it is repaired";
}

TEST_F(EvaluationTest, SeesAChangeOfTheLastByteOfAnInput) {
  plan_.arguments[kX].type = DataType::kUInt8;
  plan_.arguments[kX].elements = kElements + 3;
  plan_.reference.reset();
  plan_.checks.clear();
  add_kernel("spoiler", [](const Call& call) { call.buffer<unsigned char>(kX)[102] ^= 1U; });
  EXPECT_EQ(evaluate("spoiler").message, "changes its input x");
}

// What is not small is compared when a variant is the best so far.
TEST_F(EvaluationTest, ComparesLargeInputsForTheBestAndBlamesNoOther) {
  plan_.arguments[kX].elements = (std::uint64_t{64} << 20) / sizeof(std::int32_t) + 1;
  plan_.arguments[kX].type = DataType::kInt32;  // which the fake compares at once
  plan_.arguments[kX].fill = {FillSpec::Kind::kZeros, 0, 0, {}};
  add_kernel("spoiler",
             doubled_then([](const Call& call) { call.buffer<std::int32_t>(kX)[100] = 1; }));
  EXPECT_EQ(evaluate(variant("spoiler", 0.5)).state, TrialState::kOk) << "not the best";
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "it was the one before";
  EXPECT_EQ(evaluate("spoiler").message, "changes its input x");
}

// ---- the reference's answers
// ----------------------------------------------------------------------

TEST_F(EvaluationTest, WarnsOfAReferenceWhoseAnswerIsAllOneNumber) {
  EXPECT_TRUE(evaluation().warnings().empty());
  for (const float value : {0.0F, 3.0F}) {
    add_kernel("reference",
               [=](const Call& call) { std::fill_n(call.buffer<float>(kY), kElements, value); });
    evaluation_.reset();
    const std::string what = value == 0 ? "all zero" : "the same value everywhere";
    EXPECT_EQ(evaluation().warnings(), std::vector<std::string>{"the reference leaves y " + what +
                                                                ": wrong answers may pass"});
  }
}

TEST_F(EvaluationTest, WarnsOfTolerancesUnderWhichWrongAnswersPass) {
  plan_.checks = {{kY, 1, 1}};
  EXPECT_EQ(evaluation().warnings(),
            std::vector<std::string>{"zeros would pass for y, with rtol 1 and atol 1"});
  // From 1002 to 1200: what lies a third of them away is off by less than 0.2 of it.
  plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 501, 1, {}};
  plan_.checks = {{kY, 0, 500}};
  evaluation_.reset();
  EXPECT_EQ(
      evaluation().warnings(),
      (std::vector<std::string>{
          "the same number everywhere (1101) and right numbers at wrong places would pass for "
          "y, with rtol 0 and atol 500",
          "atol of y, 500, is 45 % of the usual size of its numbers (1.1e+03): errors of as "
          "much would pass"}));
}

class IdleInputs : public EvaluationTest {
 protected:
  IdleInputs() { draw_inputs(); }
  std::vector<std::string> of(const std::function<float(const float* x, int i)>& reference) {
    add_kernel("reference", [reference](const Call& call) {
      for (int i = 0; i < kElements; ++i) {
        call.buffer<float>(kY)[i] = reference(call.buffer<float>(kX), i);
      }
    });
    evaluation_.reset();
    return evaluation().warnings();
  }
};

TEST_F(IdleInputs, EarnAWarning) {
  EXPECT_EQ(of([](const float*, int i) { return static_cast<float>(i); }),
            std::vector<std::string>{
                "the right answer does not depend on x: is a number or a size wrong?"});
  EXPECT_EQ(of([](const float* x, int i) { return x[i % (kElements / 2)]; }),
            std::vector<std::string>{
                "the right answer does not depend on the last quarter of x: is that too large, or "
                "a number or the reference's grid too small?"});
}

TEST_F(IdleInputs, AreNoneOfWhichTheLargestOrTheSmallestCounts) {
  const auto times = [](float number, int i) { return number * static_cast<float>(i + 1); };
  const auto largest = [&](const float* x, int i) {
    return times(*std::max_element(x, x + kElements), i);
  };
  const auto smallest = [&](const float* x, int i) {
    return times(*std::min_element(x, x + kElements), i);
  };
  EXPECT_EQ(of(largest), std::vector<std::string>());
  EXPECT_EQ(of(smallest), std::vector<std::string>());
}

TEST_F(IdleInputs, AreReadBehindTheirEndWhereTheAnswerDependsOnThat) {
  EXPECT_EQ(of([](const float* x, int i) { return x[i] + x[i + 1]; }),
            std::vector<std::string>{
                "the right answer depends on what lies behind the end of x: is that too small, or "
                "a number too large?"});
  // Reading behind the end does no harm where it has no effect.
  EXPECT_EQ(of([](const float* x, int i) { return x[i + 1] < 0 ? x[i] : x[i]; }),
            std::vector<std::string>());
}

TEST_F(IdleInputs, AreNotLookedForAgainAfterAFault) {
  add_kernel("reference", [](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] = static_cast<float>(i);
  });
  Evaluation first(backend_, plan_);
  ASSERT_TRUE(first.prepare());
  const int launches = backend_.kernels.at("reference").launches;
  Evaluation again(backend_, plan_);
  ASSERT_TRUE(again.prepare(Doubts::kKnown));
  EXPECT_FALSE(first.warnings().empty());
  EXPECT_TRUE(again.warnings().empty());
  EXPECT_LT(backend_.kernels.at("reference").launches, 2 * launches);
}

TEST_F(EvaluationTest, WarnsOfAnOutputThatIsRightAsItWas) {
  plan_.arguments[kY].role = Role::kInOut;
  plan_.arguments[kY].fill = {FillSpec::Kind::kSequence, 1, 1, {}};
  add_kernel("reference", [](const Call&) {});
  EXPECT_EQ(evaluation().warnings(),
            std::vector<std::string>{"y as it was would pass: the right answer changes nothing "
                                     "of it"});
}

TEST_F(EvaluationTest, NamesTheConstantThatDoesNotFitTheReference) {
  ArgumentPlan table = argument("table", Role::kIn);
  table.elements = 4;
  plan_.constants = {table};
  plan_.reference->answers.front().artifact.symbols = {{"table", "_Z5table"}};
  backend_.kernels.at("reference").symbol_bytes["_Z5table"] = 20;
  Evaluation wrong(backend_, plan_);
  const auto ready = wrong.prepare();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().message, "the reference: table: another size");
  EXPECT_EQ(wrong.wrong_constant(), "table");
}

}  // namespace
}  // namespace tuner
