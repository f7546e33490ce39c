// Variants that are wrong now and then, in another order of threads, or leave other bits.

#include <functional>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

class RepeatedLaunches : public EvaluationTest {
 protected:
  // Right but for one launch, the first beyond those that every variant has.
  void add_wrong_once(const std::string& name) {
    constexpr int kUsual = 1 + 8 + 2;  // verified, timed, verified
    FakeBackend::Kernel& kernel = backend_.kernels[name];
    kernel.body = [&kernel](const Call& call) {
      doubled(call);
      if (kernel.launches == kUsual + 1) call.buffer<float>(kY)[7] = 0;
    };
  }
  // Right within the tolerance, never the same.
  void add_restless(const std::string& name) {
    FakeBackend::Kernel& kernel = backend_.kernels[name];
    kernel.body = [&kernel](const Call& call) {
      doubled(call);
      call.buffer<float>(kY)[7] *= 1 + 1e-6F * static_cast<float>(kernel.launches % 3);
    };
  }
};

TEST_F(RepeatedLaunches, WhatMayWinIsLaunchedSoOftenThatRareMistakesShow) {
  add_wrong_once("once");
  EXPECT_EQ(evaluate(not_better("once")).state, TrialState::kOk);
  backend_.kernels["once"].launches = 0;
  const Verdict verdict = evaluate("once");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message.find("right in some launches, wrong in another: y[7] = 0, expected 16"),
            0U)
      << verdict.message;
}

TEST_F(RepeatedLaunches, AMissingBarrierShowsInAnotherOrderOfThreads) {
  backend_.shuffles = true;
  add_kernel("no barrier", doubled).shuffled = [](const Call& call) {
    call.buffer<float>(kY)[7] = 0;
  };
  const Verdict verdict = evaluate("no barrier");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message.find(
                "right in the usual order of threads, wrong in another: y[7] = 0, expected 16"),
            0U)
      << verdict.message;
}

TEST_F(RepeatedLaunches, EachFinalistIsLaunchedInOtherOrders) {
  backend_.shuffles = true;
  add_kernel("no barrier", doubled);
  EXPECT_EQ(evaluate(variant("no barrier", 0.5)).state, TrialState::kOk);
  EXPECT_TRUE(backend_.shuffled.empty()) << "it is not the best";
  backend_.kernels["no barrier"].shuffled = [](const Call& call) { call.buffer<float>(kY)[7] = 0; };
  const auto result = remeasure({"good", "no barrier"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().plan, 1U);
  EXPECT_EQ(result.error().verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(backend_.shuffled, (std::vector<std::uint64_t>{1, 2, 1}));
}

TEST_F(RepeatedLaunches, OtherBitsAreAMistakeOnlyWhereTheSameAreAskedFor) {
  add_restless("restless");
  const Verdict allowed = evaluate("restless");
  EXPECT_EQ(allowed.state, TrialState::kOk) << allowed.message;
  EXPECT_FALSE(allowed.deterministic.has_value());
  evaluation_.reset();
  plan_.deterministic = true;
  const Verdict refused = evaluate("restless");
  EXPECT_EQ(refused.state, TrialState::kCorrectness);
  EXPECT_EQ(refused.message,
            "leaves other bits in y when launched again on the same inputs, up to 1.72e-05 away "
            "(verify: deterministic)");
  EXPECT_EQ(refused.deterministic, std::optional(false));
  EXPECT_EQ(evaluate("good").deterministic, std::optional(true));
}

TEST_F(RepeatedLaunches, AnotherOrderOfThreadsMustLeaveTheSameBitsToo) {
  backend_.shuffles = true;
  plan_.deterministic = true;
  add_kernel("adds up", doubled).shuffled = [](const Call& call) {
    call.buffer<float>(kY)[7] *= 1 + 1e-6F;
  };
  EXPECT_EQ(evaluate("adds up").state, TrialState::kCorrectness);
}

TEST_F(RepeatedLaunches, NoCopiesOfOutputsStay) {
  plan_.deterministic = true;
  evaluation();
  const std::size_t before = backend_.live_buffers();
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(backend_.live_buffers(), before);
}

// ---- inputs on which kernels go wrong -----------------------------------------------------------

class ExtremeSets : public EvaluationTest {
 protected:
  ExtremeSets() {
    plan_.arguments[kX].fill = {FillSpec::Kind::kUniform, -1, 1, {}};
    plan_.reference->fills = {ExtremeInputs::kLarge, ExtremeInputs::kTiny, ExtremeInputs::kEqual,
                              ExtremeInputs::kSpecial};
    plan_.checks = {{kY, 1e-5, 1e-3}};
  }
  // Doubles all numbers but those that the test picks.
  void add_spoiling(const std::string& name, std::function<bool(const float*, int)> picks) {
    add_kernel(name, [picks = std::move(picks)](const Call& call) {
      doubled(call);
      for (int i = 0; i + 1 < kElements; ++i) {
        if (!picks(call.buffer<float>(kX), i)) continue;
        call.buffer<float>(kY)[i] = 1.5F * call.buffer<float>(kY)[i] + 1;
      }
    });
  }
  std::string message_of(const std::string& name) {
    const std::string message = evaluate(name).message;
    return message.substr(0, message.find(':'));
  }
};

TEST_F(ExtremeSets, ARightKernelIsRightOnAllOfThem) {
  EXPECT_EQ(evaluate("good").message, "");
  EXPECT_TRUE(evaluation().warnings().empty());
}

TEST_F(ExtremeSets, EachFindsItsMistake) {
  add_spoiling("large", [](const float* x, int i) { return x[i] > 1000; });
  add_spoiling("equal", [](const float* x, int i) { return x[i] == x[i + 1] && x[i] != 0; });
  add_spoiling("special", [](const float* x, int i) { return x[i] == 1 && x[i + 1] == -1; });
  add_spoiling("subnormal",
               [](const float* x, int i) { return std::fpclassify(x[i]) == FP_SUBNORMAL; });
  const std::string head = "right for one set of inputs, wrong for ";
  EXPECT_EQ(message_of("subnormal"), head + "inputs with special values");
  EXPECT_EQ(message_of("large"), head + "large inputs");
  EXPECT_EQ(message_of("equal"), head + "inputs that are all equal");
  EXPECT_EQ(message_of("special"), head + "inputs with special values");
}

// What an absolute tolerance lets pass would let any answer pass that is as small.
TEST_F(ExtremeSets, TheAbsoluteToleranceFollowsTheSizeOfTheAnswer) {
  const auto off = [](float error) {
    return [error](const Call& call) {
      doubled(call);
      float* y = call.buffer<float>(kY);
      const float* x = call.buffer<float>(kX);
      // As rounding: the error is that of the largest number.
      const float largest = std::abs(*std::max_element(
          x, x + kElements, [](float a, float b) { return std::abs(a) < std::abs(b); }));
      y[7] += error * largest;
    };
  };
  add_kernel("rounds", off(3e-4F));
  EXPECT_EQ(evaluate("rounds").message, "");
  add_kernel("tiny", [](const Call& call) {
    doubled(call);
    if (std::abs(call.buffer<float>(kX)[7]) < 1e-3F) call.buffer<float>(kY)[7] = 0;
  });
  EXPECT_EQ(message_of("tiny"), "right for one set of inputs, wrong for tiny inputs");
}

TEST_F(ExtremeSets, OneThatTheReferenceHasNoAnswerForIsToldOf) {
  add_kernel("reference", [](const Call& call) {
    doubled(call);
    if (call.buffer<float>(kX)[0] == 0) call.buffer<float>(kY)[0] = std::nanf("");
  });
  evaluation();
  ASSERT_EQ(evaluation().warnings().size(), 1U);
  EXPECT_EQ(
      evaluation().warnings()[0].find(
          "answers are not compared on inputs with special values: the reference: leaves 1 of "
          "100 elements of y as NaN, the first at 0"),
      0U)
      << evaluation().warnings()[0];
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
}

TEST_F(ExtremeSets, OfWholeNumbersTheEndsOfTheirRangeAreSpecial) {
  plan_.arguments[kX].fill = {FillSpec::Kind::kIntegers, 7, 1e6, {}};
  add_spoiling("ends", [](const float* x, int i) { return x[i] == 7 && x[i + 1] == 1e6F; });
  add_spoiling("beyond", [](const float* x, int i) { return x[i] < 7 || x[i] > 1e6F; });
  EXPECT_EQ(message_of("ends"),
            "right for one set of inputs, wrong for inputs with special values");
  EXPECT_EQ(message_of("beyond"), "");
}

TEST_F(ExtremeSets, SequencesAreLeftAlone) {
  plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 1, 1, {}};
  evaluation();
  EXPECT_EQ(backend_.kernels["reference"].launches, 1 + kTimed) << "nothing is random";
}

}  // namespace
}  // namespace tuner
