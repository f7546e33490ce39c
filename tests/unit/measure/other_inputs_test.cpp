// Answers on a second set of inputs: who is asked, who is found out, and what is as before
// afterwards.

#include <unistd.h>

#include <map>
#include <random>
#include <set>

#include "tests/unit/measure/evaluation_fixture.h"
#include "tuner/model/statistics.h"

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

// Right for whatever it is given, and fast for what it has seen, or what it knows beforehand: its
// time is the one that it takes for inputs that nobody has seen.
TEST_F(OtherInputs, AKernelThatIsFastOnInputsItKnowsGainsNothing) {
  std::set<float> seen;  // first numbers of inputs
  float last = 0;
  bool was_known = false;
  const auto watch = [&](const Call& call) {
    last = call.buffer<float>(kX)[0];
    was_known = !seen.insert(last).second;
    doubled(call);
  };
  add_kernel("keeping", watch).milliseconds = [&](int) { return was_known ? 0.1 : 1.0; };
  float first = 0;
  add_kernel("knowing", watch).milliseconds = [&](int n) {
    if (n == 0) first = last;
    return last == first ? 0.1 : 1.0;
  };
  for (const char* const name : {"keeping", "knowing"}) {
    for (const double best : {0.0, 0.5}) {
      const Verdict verdict = evaluate(variant(name, best));
      EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
      EXPECT_EQ(verdict.timing.median, 1.0) << name << " with a best of " << best;
    }
  }
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "the inputs are the first set again";
}

// It is honest for its first sixty launches, whatever they are for, and in a final, too.
TEST_F(OtherInputs, AKernelThatBeginsToKeepAnswersLateGainsNothingInAFinal) {
  std::map<float, float> kept;
  int launches = 0;
  bool was_known = false;
  add_kernel("late", [&](const Call& call) {
    const float first = call.buffer<float>(kX)[0];
    was_known = !kept.insert({first, 2 * first}).second && ++launches > 60;
    doubled(call);
  }).milliseconds = [&](int) { return was_known ? 0.1 : 1.0; };
  const auto result = remeasure({"good", "late"}, {.rounds = 151});
  ASSERT_TRUE(result);
  EXPECT_EQ(median(result->at(1)), 1.0);
}

// One variant, which is honest, leaves its answers where another finds them.
TEST_F(OtherInputs, NoVariantMeetsTheInputsOfAnotherWhereItsTimeCounts) {
  std::set<float> met;
  std::vector<int> again(2, 0);
  for (const int which : {0, 1}) {
    add_kernel(which == 0 ? "giver" : "taker", doubled_then([&, which](const Call& call) {
                 const float first = call.buffer<float>(kX)[0];
                 if (!met.insert(first).second) ++again.at(which);
               }));
  }
  evaluation();
  EXPECT_TRUE(remeasure({"giver", "taker"}, {.rounds = 40}));
  EXPECT_GE(met.size(), 2U * 40U);
  EXPECT_EQ(evaluate("taker").state, TrialState::kOk);
  EXPECT_GE(met.size(), 2U * 40U + 7U);
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

// What a message of an earlier run said of another set helps no kernel of this one.
TEST_F(OtherInputs, AreDrawnInEachRunAndTheFirstSetIsNot) {
  const auto first_numbers = [&] {
    evaluation_.reset();
    std::vector<float> seen;
    add_kernel("looking", doubled_then([&seen](const Call& call) {
                 const float one = call.buffer<float>(kX)[0];
                 if (seen.empty() || seen.back() != one) seen.push_back(one);
               }));
    EXPECT_EQ(evaluate("looking").state, TrialState::kOk);
    return seen;
  };
  const std::vector<float> one = first_numbers();
  const std::vector<float> another = first_numbers();
  ASSERT_GE(one.size(), 2U);
  EXPECT_EQ(one[0], another[0]);
  EXPECT_NE(one[1], another[1]);
}

TEST_F(OtherInputs, OnlyWhatMayWinIsAsked) {
  evaluation();
  const int first = references();
  EXPECT_EQ(first, 3) << "for the usual inputs, and what changes them";
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_GE(references(), first + kFewestLooks);
  const int before = references();
  EXPECT_EQ(evaluate(variant("good", 0.7)).state, TrialState::kOk);
  EXPECT_EQ(references(), before);
}

// A quick reference takes long once: on a busy host, or while a driver loads its kernel.
TEST_F(OtherInputs, AReferenceIsSlowOnlyIfEachOfItsAnswersIs) {
  int launches = 0;
  add_kernel("reference", doubled_then([&launches](const Call&) {
               if (++launches == 1) ::usleep(10000);
             }));
  evaluation();
  const int before = references();
  EXPECT_EQ(before, 3);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_GE(references(), before + kFewestLooks);
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

TEST_F(OtherInputs, ThereIsOneSetWhereNothingIsRandom) {
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
    if (++launches > kTimed + 1)
      call.buffer<float>(kY)[3] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_GE(launches, kTimed + 1 + kFewestLooks);
  // Then its samples on the usual inputs are looked at.
  int n = 0;
  add_kernel("wrong", doubled_then([&n](const Call& call) {
               if (++n > 9) call.buffer<float>(kY)[3] = -1;
             }));
  EXPECT_EQ(evaluate("wrong").state, TrialState::kCorrectness);
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
