// How near an answer has to be where the study does not say, and which tolerances are doubted.

#include <cmath>

#include "evaluation_fixture.h"

namespace tuner::test {
namespace {

using Call = FakeBackend::Call;
using Texts = std::vector<std::string>;

class UsualTolerance : public EvaluationTest {
 protected:
  UsualTolerance() {
    plan_.checks = {{kY, 1e-4, 1e-4}};
    plan_.checks.front().atol_is_share = true;
  }
  // x becomes numbers from `first`, `step` apart; the right answer is twice as large.
  void count_from(double first, double step) {
    plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, first, step, {}};
  }
  TrialState with_first(const std::function<float(float)>& change) {
    add_kernel("changed", doubled_then([=](const Call& call) {
                 float* const y = call.buffer<float>(kY);
                 y[0] = change(y[0]);
               }));
    return evaluate("changed").state;
  }
};

TEST_F(UsualTolerance, AQuarterTooMuchIsWrongHoweverSmallTheNumbersAre) {
  count_from(1e-5, 1e-8);
  add_kernel("quarter", doubled_then([](const Call& call) {
               for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] *= 1.25F;
             }));
  EXPECT_EQ(evaluate("quarter").state, TrialState::kCorrectness);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
}

// What is left of terms that cancel is rounded like the terms.
TEST_F(UsualTolerance, ANumberNearZeroMayBeOffByAShareOfTheOthers) {
  count_from(1e-9, 1);
  EXPECT_EQ(with_first([](float y) { return y + 1e-3F; }), TrialState::kOk);
  EXPECT_EQ(with_first([](float y) { return y + 0.1F; }), TrialState::kCorrectness);
}

TEST_F(UsualTolerance, IsTheSameInAnyUnits) {
  for (const double unit : {1e-20, 1.0, 1e20}) {
    count_from(unit, unit);
    evaluation_.reset();
    EXPECT_EQ(with_first([=](float y) { return y + static_cast<float>(2e-3 * unit); }),
              TrialState::kOk)
        << unit;
    EXPECT_EQ(with_first([=](float y) { return y + static_cast<float>(0.1 * unit); }),
              TrialState::kCorrectness)
        << unit;
  }
}

TEST_F(UsualTolerance, OfAnAnswerThatIsAllZeroIsThatOfOnes) {
  count_from(0, 0);
  EXPECT_EQ(with_first([](float) { return 5e-5F; }), TrialState::kOk);
  EXPECT_EQ(with_first([](float) { return 2e-4F; }), TrialState::kCorrectness);
}

TEST_F(UsualTolerance, OfAFewLargeNumbersAmongSmallOnesIsDoubted) {
  add_kernel("reference", [](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] = i == 7 ? 1e6F : 1.0F + i;
  });
  EXPECT_EQ(evaluation().warnings(),
            Texts{"the default atol of y, 10, is 19 % of the usual size of its numbers (52): "
                  "errors of as much would pass"});
}

class Doubted : public EvaluationTest {
 protected:
  // Squares of numbers from 0.7072 to 1.
  Doubted() {
    add_kernel("reference", [](const Call& call) {
      for (int i = 0; i < kElements; ++i) {
        const float x = 0.7072F + 0.2928F * static_cast<float>(i) / (kElements - 1);
        call.buffer<float>(kY)[i] = x * x;
      }
    });
  }
  Texts with(const CheckPlan& check) {
    plan_.checks = {check};
    evaluation_.reset();
    return evaluation().warnings();
  }
  bool says(const CheckPlan& check, const std::string& part) {
    const Texts texts = with(check);
    return std::ranges::any_of(texts,
                               [&](const std::string& one) { return one.find(part) != one.npos; });
  }
  static CheckPlan by(double rtol, double atol, const CompareRule& how) {
    return {kY, rtol, atol, false, {}, how};
  }
};

TEST_F(Doubted, OneNumberEverywhereThatPassesIsNamed) {
  const Texts texts = with({kY, 0.2, 0.3});
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].find("the same number everywhere (0.73"), 0U) << texts[0];
  EXPECT_EQ(texts[1].find("atol of y, 0.3, is 41 % of the usual size"), 0U) << texts[1];
}

TEST_F(Doubted, EachThatPassesIsNamed) {
  EXPECT_TRUE(says({kY, 0.2, 2}, "zeros, the same number everywhere"));
  EXPECT_TRUE(says({kY, 0.2, 2}, " and right numbers at wrong places would pass for y"));
  EXPECT_TRUE(with({kY, 1e-4, 1e-6}).empty());
}

TEST_F(Doubted, ByTheRuleThatTheStudyNames) {
  using Norm = CompareRule::Norm;
  EXPECT_TRUE(says(by(0.3, 0, {Norm::kL2}), "the same number everywhere"));
  EXPECT_TRUE(with(by(1e-3, 0, {Norm::kL2})).empty());
  CompareRule largest;
  largest.to_largest = true;
  EXPECT_TRUE(says(by(0.3, 0, largest), "the same number everywhere"));
  EXPECT_TRUE(with(by(1e-3, 0, largest)).empty());
  CompareRule free;
  free.any_order = true;
  EXPECT_TRUE(says(by(0.5, 0, free), "the same number everywhere"));
  EXPECT_TRUE(with(by(1e-3, 0, free)).empty()) << "their order is free";
}

TEST_F(Doubted, OfIntegersModuloTwoNoConstantPasses) {
  plan_.arguments[kY].type = DataType::kInt32;
  add_kernel("reference", [](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<std::int32_t>(kY)[i] = i % 2;
  });
  EXPECT_TRUE(with({kY, 0, 0}).empty());
  EXPECT_TRUE(says({kY, 0, 1}, "zeros"));
}

}  // namespace
}  // namespace tuner::test
