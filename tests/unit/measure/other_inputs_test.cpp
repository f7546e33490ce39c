// Answers on a second set of inputs: who is asked, who is found out, and what is as before
// afterwards.

#include <random>
#include <set>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

class OtherInputs : public EvaluationTest {
 protected:
  OtherInputs() {
    draw_inputs();
    plan_.reference->seeds = 2;
  }
};

TEST_F(OtherInputs, AKernelThatKeepsItsAnswersIsWrong) {
  add_keeping("keeping");
  const Verdict verdict = evaluate("keeping");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message.find("right for one set of inputs, wrong for another set of inputs: "
                                 "y differs (these inputs are secret)"),
            0U)
      << verdict.message;
  EXPECT_TRUE(verdict.timing.samples.empty());
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "the inputs are the first set again";
}

// Right for whatever it is given, and fast for what it has seen, or what it knows beforehand.
TEST_F(OtherInputs, AKernelThatIsFastOnInputsItKnowsIsWrong) {
  std::set<float> seen;  // first numbers of inputs
  float last = 0;
  bool was_known = false;
  const auto watch = [&](const Call& call) {
    last = call.buffer<float>(kX)[0];
    was_known = !seen.insert(last).second;
    doubled(call);
  };
  const char* const said = "takes 10.0 times as long on inputs that it has not seen";
  add_kernel("keeping", watch).milliseconds = [&](int) { return was_known ? 0.1 : 1.0; };
  EXPECT_EQ(evaluate("keeping").message, said);
  float first = 0;
  add_kernel("knowing", watch).milliseconds = [&](int n) {
    if (n == 0) first = last;
    return last == first ? 0.1 : 1.0;
  };
  EXPECT_EQ(evaluate("knowing").message, said);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "the inputs are the first set again";
}

// It may be long everywhere once it has seen that inputs change: then that is its time.
TEST_F(OtherInputs, AKernelThatIsFastUntilInputsChangeGainsNothing) {
  float first = 0;
  bool has_changed = false;
  add_kernel("careful", [&](const Call& call) {
    const float now = call.buffer<float>(kX)[0];
    if (first == 0) first = now;
    has_changed = has_changed || now != first;
    doubled(call);
  }).milliseconds = [&](int) { return has_changed ? 1.0 : 0.1; };
  const Verdict verdict = evaluate("careful");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(verdict.timing.median, 1.0);
}

// Half of all launches are disturbed, as much as a busy machine may disturb one: each by itself, or
// twenty one after the other. With 20000 kernels instead of 250 nobody was convicted either.
TEST_F(OtherInputs, ABusyMachineConvictsNobody) {
  plan_.measure.max_samples = 8;
  for (const double stays : {0.5, 0.95}) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    bool is_busy = false;
    backend_.kernels.at("good").milliseconds = [&](int) {
      if (unit(random) > stays) is_busy = !is_busy;
      return is_busy ? 1 + 50 * unit(random) : 1 + 0.1 * unit(random);
    };
    int wrong = 0;
    for (int i = 0; i < 250; ++i) wrong += evaluate("good").state == TrialState::kOk ? 0 : 1;
    EXPECT_EQ(wrong, 0) << stays;
  }
}

// What a message of an earlier run said of the other set helps no kernel of this one.
TEST_F(OtherInputs, FollowFromTheSecretOfTheRunAndTheFirstSetDoesNot) {
  const auto first_numbers = [&](std::uint64_t secret) {
    plan_.reference->secret = secret;
    evaluation_.reset();
    std::vector<float> seen;
    add_kernel("looking", doubled_then([&seen](const Call& call) {
                 const float one = call.buffer<float>(kX)[0];
                 if (seen.empty() || seen.back() != one) seen.push_back(one);
               }));
    EXPECT_EQ(evaluate("looking").state, TrialState::kOk);
    return seen;
  };
  const std::vector<float> one = first_numbers(1);
  const std::vector<float> another = first_numbers(2);
  ASSERT_GE(one.size(), 2U);
  ASSERT_EQ(one.size(), another.size());
  EXPECT_EQ(one[0], another[0]);
  EXPECT_NE(one[1], another[1]);
}

TEST_F(OtherInputs, OnlyWhatMayWinIsAsked) {
  evaluation();
  EXPECT_EQ(references(), 1);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(references(), 2) << "for the other set";
  EXPECT_EQ(evaluate(variant("good", 0.9)).state, TrialState::kOk);
  EXPECT_EQ(references(), 2);
}

TEST_F(OtherInputs, NamesTheFinalistThatKeepsItsAnswers) {
  add_keeping("keeping");
  const auto result = remeasure({"good", "keeping"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().plan, 1U);
  EXPECT_EQ(result.error().verdict.state, TrialState::kCorrectness);
  EXPECT_TRUE(remeasure({"good"}));
}

TEST_F(OtherInputs, ConstantsOfTheSetReachTheKernel) {
  ArgumentPlan factor = argument("factor", Role::kIn);
  factor.elements = 1;
  factor.fill = {FillSpec::Kind::kUniform, 1, 2, {}};
  plan_.constants = {factor};
  plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 1, 1, {}};
  std::vector<float> seen;
  const auto scaled = [&seen](const Call& call) {
    seen.push_back(call.symbol<float>("factor"));
    for (int i = 0; i < kElements; ++i) {
      call.buffer<float>(kY)[i] = seen.back() * call.buffer<float>(kX)[i];
    }
  };
  add_kernel("reference", scaled);
  add_kernel("good", scaled);
  plan_.reference->answers.front().artifact.symbols = {{"factor", "factor"}};
  VariantPlan plan = variant("good");
  plan.artifact.symbols = {{"factor", "factor"}};
  const Verdict verdict = evaluate(plan);
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  std::sort(seen.begin(), seen.end());
  EXPECT_NE(seen.front(), seen.back());
}

TEST_F(OtherInputs, ThereIsOneSetWhereNothingIsRandomOrOneIsAskedFor) {
  plan_.reference->seeds = 1;
  add_keeping("keeping");
  EXPECT_EQ(evaluate("keeping").state, TrialState::kOk);
  evaluation_.reset();
  plan_.reference->seeds = 5;
  plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 1, 1, {}};
  const int before = references();
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(references(), before + 1);
}

// A square root of random numbers may be NaN for one set and not for another.
TEST_F(OtherInputs, ASetWithoutARightAnswerIsLeftOut) {
  int launches = 0;
  add_kernel("reference", [&launches](const Call& call) {
    doubled(call);
    if (++launches == kTimed + 2)
      call.buffer<float>(kY)[3] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(launches, kTimed + 2);
}

TEST_F(OtherInputs, BuffersDoNotGrowWithTheSets) {
  plan_.reference->seeds = 4;
  evaluation();
  const std::size_t before = backend_.live_buffers();
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(backend_.live_buffers(), before);
}

}  // namespace
}  // namespace tuner
