// Arguments of role workspace: what a launch finds in them, what it must leave, and what is timed.
// And scratch that does not fit.

#include <functional>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

constexpr std::size_t kWork = 3;  // argument

class WorkspaceRole : public EvaluationTest {
 protected:
  WorkspaceRole() { plan_.arguments.push_back(buffers(Zero::kOnce, 4)); }

  static ArgumentPlan buffers(Zero zero, std::uint64_t elements) {
    ArgumentPlan plan = argument("work", Role::kWorkspace);
    plan.type = DataType::kUInt32;
    plan.zero = zero;
    plan.elements = elements;
    return plan;
  }
  static std::uint32_t& word(const Call& call, std::size_t i = 0) {
    return call.buffer<std::uint32_t>(kWork)[i];
  }
  // Right where the workspace is zero; then whatever `leave` does to it.
  FakeBackend::Kernel& add_counting(const std::string& name,
                                    const std::function<void(const Call&)>& leave = {}) {
    return add_kernel(name, [leave](const Call& call) {
      if (word(call) == 0) doubled(call);
      if (leave) leave(call);
    });
  }
  VariantPlan sized(const std::string& kernel, std::uint64_t elements) {
    VariantPlan plan = variant(kernel);
    plan.overrides = {{kWork, buffers(plan_.arguments[kWork].zero, elements)}};
    return plan;
  }
  FinalistFailure finalist_failure(const std::vector<VariantPlan>& variants) {
    const auto result = evaluation().remeasure(variants, {5, 1}, nullptr);
    EXPECT_FALSE(result);
    return result ? FinalistFailure{99, {}} : result.error();
  }
};

TEST_F(WorkspaceRole, TimedLaunchesFindWhatTheOnesBeforeLeft) {
  std::vector<std::uint32_t> found;
  add_kernel("good", [&found](const Call& call) {
    found.push_back(word(call));
    doubled(call);
  });
  const Verdict verdict = evaluate(not_better("good"));
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(found, std::vector<std::uint32_t>(2 + 8 + 1, 0)) << "verified twice, timed, verified";
  for (const TimingRequest& request : backend_.timings) {
    EXPECT_EQ(request.fills.size(), 2U) << "the output alone, with the guard words in front";
  }
}

TEST_F(WorkspaceRole, ACounterThatIsLeftBehindIsFoundAtOnce) {
  auto& kernel = add_counting("counter", [](const Call& call) { word(call, 2) = 7; });
  const Verdict verdict = evaluate("counter");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message,
            "leaves work[2] = 7, a workspace that must be zero after each launch (zero: once)");
  EXPECT_EQ(kernel.launches, 1);
  EXPECT_TRUE(verdict.timing.samples.empty());
  add_counting("clean");
  EXPECT_EQ(evaluate("clean").state, TrialState::kOk) << "it is zeroed for the next one";
}

TEST_F(WorkspaceRole, ANegativeZeroIsNotZeroed) {
  plan_.arguments[kWork].type = DataType::kFloat32;
  add_kernel("negative", doubled_then([](const Call& call) { word(call, 1) = 0x80000000U; }));
  EXPECT_EQ(evaluate("negative").state, TrialState::kCorrectness);
}

TEST_F(WorkspaceRole, WhatIsLeftLaterOnlyIsFoundToo) {
  for (const int later : {2, 5, 11}) {
    auto& kernel = add_kernel("later", {});
    kernel.launches = 0;
    kernel.body = [&kernel, later](const Call& call) {
      doubled(call);
      if (kernel.launches >= later) word(call) = 1;
    };
    const Verdict verdict = evaluate("later");
    EXPECT_EQ(verdict.state, TrialState::kCorrectness) << later;
    EXPECT_NE(verdict.message.find("leaves work[0] = 1"), std::string::npos) << verdict.message;
  }
}

TEST_F(WorkspaceRole, WithoutAReferenceItMustBeLeftCleanAsWell) {
  plan_.reference.reset();
  plan_.checks.clear();
  add_counting("counter", [](const Call& call) { word(call) = 1; });
  EXPECT_EQ(evaluate("counter").state, TrialState::kCorrectness);
}

TEST_F(WorkspaceRole, AnAnswerThatIsWrongTheSecondTimeSaysSo) {
  auto& kernel = add_kernel("second", {});
  kernel.body = [&kernel](const Call& call) {
    if (kernel.launches != 2) doubled(call);
  };
  const Verdict verdict = evaluate("second");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message.find("right at first, wrong on the workspace that it left: y[0] = nan"),
            0U)
      << verdict.message;
}

TEST_F(WorkspaceRole, WritesOutsideOfItAreSeen) {
  add_kernel("past", doubled_then([](const Call& call) { word(call, 4) = 1; }));
  EXPECT_EQ(evaluate("past").message, "write past the end of work: element 4 of 4, counted from 0");
}

// Guard words move with the size: those of one are no dirt for another.
TEST_F(WorkspaceRole, ItsSizeMayDependOnTheConfiguration) {
  for (const Zero zero : {Zero::kOnce, Zero::kEach, Zero::kNever}) {
    plan_.arguments[kWork].zero = zero;
    evaluation_.reset();
    add_kernel("all", [zero](const Call& call) {
      bool zeros = true;
      for (std::size_t i = 0; i < 1000; ++i) zeros = zeros && word(call, i) == 0;
      if (zeros || zero == Zero::kNever) doubled(call);
    });
    EXPECT_EQ(evaluate(sized("good", 3)).state, TrialState::kOk);
    EXPECT_EQ(evaluate(sized("all", 1000)).state, TrialState::kOk);
    const auto result = evaluation().remeasure(
        {sized("good", 3), sized("all", 1000), sized("good", 20)}, {5, 1}, nullptr);
    EXPECT_TRUE(result) << result.error().verdict.message;
  }
}

// Drawn inputs are looked at after the rounds, so that the finalist timed last is not the one that
// was launched last: the guard words are that one's.
TEST_F(WorkspaceRole, AFinalOnDrawnInputsLooksWhereTheGuardWordsAre) {
  draw_inputs();
  add_kernel("all", [](const Call& call) {
    for (std::size_t i = 0; i < 1000; ++i) {
      if (word(call, i) != 0) return;
    }
    doubled(call);
  });
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto result = evaluation().remeasure(
        {sized("all", 1000), sized("good", 3), sized("all", 1000)}, {1, seed}, nullptr);
    EXPECT_TRUE(result) << seed << ": " << result.error().verdict.message;
  }
}

TEST_F(WorkspaceRole, TheFinalBlamesTheOneThatLeavesSomething) {
  auto& kernel = add_kernel("late", {});
  kernel.body = [&kernel](const Call& call) {
    doubled(call);
    if (kernel.launches == 5) word(call, 1) = 3;
  };
  add_counting("clean");
  const FinalistFailure failure =
      finalist_failure({variant("clean"), variant("late"), variant("clean")});
  EXPECT_EQ(failure.plan, 1U);
  EXPECT_EQ(failure.verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(failure.verdict.message,
            "leaves work[1] = 3, a workspace that must be zero after each launch (zero: once)");
}

TEST_F(WorkspaceRole, ZeroEachIsZeroedBeforeEveryLaunchAsPartOfIt) {
  plan_.arguments[kWork].zero = Zero::kEach;
  plan_.measure.cache = CacheState::kHot;
  add_counting("counter", [](const Call& call) { word(call) = 7; });
  const Verdict verdict = evaluate("counter");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  for (const TimingRequest& request : backend_.timings) {
    EXPECT_EQ(request.fills.size(), 2U) << "the output alone, with the guard words in front";
  }
  EXPECT_TRUE(remeasure({"counter", "good"}));
}

TEST_F(WorkspaceRole, ZeroNeverIsFoundOutByPoison) {
  plan_.arguments[kWork].zero = Zero::kNever;
  add_counting("trusting");
  add_kernel("good", doubled_then([](const Call& call) { word(call) = 7; }));
  const Verdict trusting = evaluate("trusting");
  EXPECT_EQ(trusting.state, TrialState::kCorrectness);
  EXPECT_EQ(trusting.message.find("inout"), std::string::npos) << trusting.message;
  EXPECT_NE(trusting.message.find("; right where workspaces are zeroed before it (zero: each)"),
            std::string::npos)
      << trusting.message;
  EXPECT_EQ(trusting.evidence, Evidence::kDirty);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
}

TEST_F(WorkspaceRole, AReferenceMayTakeIt) {
  plan_.reference->arguments = {0, 1, 2, 3};
  add_counting("reference", [](const Call& call) { word(call) = 7; });
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
}

TEST_F(EvaluationTest, ScratchThatDoesNotFitIsThatVariantsFailure) {
  ArgumentPlan scratch = argument("work", Role::kScratch);
  plan_.arguments.push_back(scratch);
  evaluation();
  backend_.memory_limit = 20000;
  VariantPlan plan = variant("good");
  scratch.elements = 1 << 20;
  plan.overrides = {{3, scratch}};
  const Verdict verdict = evaluate(plan);
  EXPECT_EQ(verdict.state, TrialState::kRuntime);
  EXPECT_EQ(verdict.message, "work: out of memory");
  EXPECT_FALSE(verdict.context_dead);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "others go on";
}

}  // namespace
}  // namespace tuner
