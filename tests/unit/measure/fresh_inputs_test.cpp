// Timed launches on other inputs in each sample (`inputs: fresh`): what they find, and who is found
// out.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

class FreshInputs : public EvaluationTest {
 protected:
  FreshInputs() {
    draw_inputs();
    plan_.reference->seeds = 1;
    plan_.measure.inputs = TimedInputs::kFresh;
  }
  // A kernel that is right, and writes down the first number of its inputs in each launch.
  void add_watched(const std::string& name) {
    add_kernel(name, doubled_then(
                         [this](const Call& call) { seen_.push_back(call.buffer<float>(kX)[0]); }));
  }

  std::vector<float> seen_;
};

TEST_F(FreshInputs, NoSampleFindsTheInputsOfAnother) {
  add_watched("watched");
  evaluation();
  EXPECT_EQ(evaluate("watched").state, TrialState::kOk);
  const std::set<float> different(seen_.begin(), seen_.end());
  std::size_t samples = 0;
  for (const TimingRequest& request : backend_.timings) {
    EXPECT_EQ(request.samples, 1U) << "nothing can be written between two of one request";
    EXPECT_TRUE(request.flush_cache);
    samples += request.samples;
  }
  EXPECT_EQ(samples, 1U + 7U) << "a warm-up on the usual inputs, and the samples";
  EXPECT_EQ(different.size(), samples);
}

TEST_F(FreshInputs, AKernelThatKeepsItsAnswerIsWrong) {
  add_keeping("skipping");
  const Verdict verdict = evaluate("skipping");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message,
            "right for one set of inputs, wrong for another set of inputs: y differs (these inputs "
            "are secret)");
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "the inputs are the usual ones again";
}

// It computes where nobody times it, and where it is given the study's own inputs.
TEST_F(FreshInputs, AKernelThatSkipsInputsItIsTimedOnIsWrong) {
  for (const TimedInputs inputs : {TimedInputs::kFresh, TimedInputs::kSame}) {
    plan_.measure.inputs = inputs;
    evaluation_.reset();
    float first = 0;
    FakeBackend::Kernel* kernel = nullptr;
    int timed = 0;
    kernel = &add_kernel("skipping", [&](const Call& call) {
      const float now = call.buffer<float>(kX)[0];
      if (first == 0) first = now;
      const bool is_timed = std::exchange(timed, kernel->timed) != kernel->timed;
      if (now == first || !is_timed) doubled(call);
    });
    const Verdict verdict = evaluate("skipping");
    EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  }
}

TEST_F(FreshInputs, WhatIsDroppedIsCheckedToo) {
  add_keeping("skipping");
  for (const double slow : {3.0, 50.0}) {
    backend_.kernels.at("skipping").milliseconds = [slow](int) { return slow; };
    VariantPlan plan = variant("skipping");
    plan.best_ms = 1.0;
    EXPECT_EQ(evaluate(plan).state, TrialState::kCorrectness) << slow;
  }
}

TEST_F(FreshInputs, TheFinalNamesWhoKeepsItsAnswer) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"skipping"}, {"good", "skipping"}, {"skipping", "good"}}) {
    add_keeping("skipping");
    std::vector<VariantPlan> plans;
    for (const std::string& name : names) plans.push_back(variant(name));
    const auto result = evaluation().remeasure(plans, {3, 1}, nullptr);
    ASSERT_FALSE(result) << names.front();
    EXPECT_EQ(names.at(result.error().plan), "skipping");
    EXPECT_EQ(result.error().verdict.state, TrialState::kCorrectness);
    EXPECT_TRUE(remeasure({"good"})) << "the others go on";
  }
}

TEST_F(FreshInputs, TheReferenceRunsAgainForEachSampleThatIsLookedAt) {
  evaluation();
  const int first = references();
  EXPECT_EQ(first, 4) << "for the usual inputs, what changes them, and whether it can for others";
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_GE(references(), first + kFewestLooks);
  const int before = references();
  EXPECT_EQ(evaluate(not_better("good")).state, TrialState::kOk);
  EXPECT_GE(references(), before + 1) << "of one that cannot win one answer is enough";
}

TEST_F(FreshInputs, WithoutMemoryForTheSecondAnswerItIsComputedAgain) {
  backend_.memory_limit = 8800;  // enough for what the buffers and one answer take
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_GE(references(), 4 + 3) << "for the variant: of the usual inputs, the others, and again";
}

TEST_F(FreshInputs, AReferenceThatCannotAnswerThereIsToldBeforeAnythingIsMeasured) {
  int launches = 0;
  add_kernel("reference", [&launches](const Call& call) {
    doubled(call);
    if (++launches > 1 + kTimed) {
      call.buffer<float>(kY)[3] = std::numeric_limits<float>::quiet_NaN();
    }
  });
  EXPECT_EQ(failure_of_prepare(),
            "'inputs: fresh': the reference: leaves 1 of 100 elements of y as NaN, the first at 3: "
            "they are not written (then the role is inout) or wrong");
}

TEST_F(FreshInputs, ASampleOfAWarmCacheIsOneLaunch) {
  plan_.measure.cache = CacheState::kHot;
  backend_.kernels.at("good").milliseconds = [](int) { return 0.004; };
  evaluate("good");
  for (const TimingRequest& request : backend_.timings) {
    EXPECT_EQ(request.launches_per_sample, 1U) << "a second one would find the same inputs";
    EXPECT_FALSE(request.flush_cache);
  }
}

TEST_F(FreshInputs, InTurnsEachCopyHasItsOwnInputsAndIsUsedOnce) {
  plan_.measure.cache = CacheState::kRotate;
  backend_.device.l2_bytes = 9216;  // of 2048 a copy: 10 of them
  add_watched("watched");
  backend_.kernels.at("watched").milliseconds = [](int) { return 0.03; };
  EXPECT_EQ(evaluate("watched").state, TrialState::kOk);
  std::size_t launches = 0;
  for (const TimingRequest& request : backend_.timings) {
    EXPECT_EQ(request.turns.size(), request.samples * request.launches_per_sample);
    launches += request.turns.size();
  }
  EXPECT_GT(launches, backend_.timings.size()) << "a sample has several";
  EXPECT_EQ(std::set<float>(seen_.begin(), seen_.end()).size(), launches);
  add_keeping("skipping");
  EXPECT_EQ(evaluate("skipping").state, TrialState::kCorrectness);
}

TEST_F(FreshInputs, WhatIsChangedInPlaceBeginsWithNewNumbersToo) {
  plan_.arguments[kY].role = Role::kInOut;
  plan_.arguments[kY].fill = {FillSpec::Kind::kUniform, 5, 6, {}};
  plan_.arguments[kY].seed = 7;
  plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 1, 1, {}};
  std::vector<float> begun;
  const auto added = [&](const Call& call) {
    begun.push_back(call.buffer<float>(kY)[0]);
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] += call.buffer<float>(kX)[i];
  };
  add_kernel("reference", added);
  add_kernel("good", added);
  evaluation();
  begun.clear();
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(std::set<float>(begun.begin(), begun.end()).size(), backend_.timings.size());
  EXPECT_TRUE(std::all_of(begun.begin(), begun.end(), [](float y) { return y >= 5 && y < 6; }));
}

TEST_F(FreshInputs, ConstantsGoWithTheirSet) {
  ArgumentPlan factor = argument("factor", Role::kIn);
  factor.elements = 1;
  factor.fill = {FillSpec::Kind::kUniform, 1, 2, {}};
  plan_.constants = {factor};
  std::map<float, std::set<float>> factors;  // by the first number of x
  const auto scaled = [&factors](const Call& call) {
    const auto f = call.symbol<float>("factor");
    factors[call.buffer<float>(kX)[0]].insert(f);
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] = f * call.buffer<float>(kX)[i];
  };
  add_kernel("reference", scaled);
  add_kernel("good", scaled);
  plan_.reference->answers.front().artifact.symbols = {{"factor", "factor"}};
  VariantPlan plan = variant("good");
  plan.artifact.symbols = {{"factor", "factor"}};
  const Verdict verdict = evaluate(plan);
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_TRUE(evaluation().remeasure({plan, plan}, {3, 1}, nullptr));
  EXPECT_GT(factors.size(), 10U);
  for (const auto& [x, seen] : factors) EXPECT_EQ(seen.size(), 1U) << x;
}

TEST_F(FreshInputs, WhereNothingIsComparedTimesAreTakenAllTheSame) {
  plan_.reference.reset();
  plan_.checks.clear();
  add_watched("watched");
  EXPECT_EQ(evaluate("watched").state, TrialState::kOk);
  EXPECT_EQ(std::set<float>(seen_.begin(), seen_.end()).size(), backend_.timings.size());
  EXPECT_TRUE(remeasure({"watched"}));
}

}  // namespace
}  // namespace tuner
