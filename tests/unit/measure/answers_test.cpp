// Right answers that depend on parameters: each variant is compared with its own, and each is
// computed once, whatever asks for it.

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/unit/measure/evaluation_fixture.h"
#include "tests/unit/resolve/studies.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

// y = factor * x; the reference for key k is the kernel "reference times k".
class ManyAnswers : public EvaluationTest {
 protected:
  ManyAnswers() {
    draw_inputs();
    plan_.reference->answers.clear();
    for (const std::uint32_t key : {1U, 2U, 3U}) {
      AnswerPlan& answer = plan_.reference->answers.emplace_back();
      answer.key = key;
      answer.values = "FACTOR=" + std::to_string(key);
      answer.artifact.image = "reference times " + std::to_string(key);
      add_kernel(answer.artifact.image, times(static_cast<float>(key)));
      add_kernel("times " + std::to_string(key), times(static_cast<float>(key)));
    }
  }

  static std::function<void(const Call&)> times(float factor) {
    return [factor](const Call& call) {
      for (int i = 0; i < kElements; ++i) {
        call.buffer<float>(kY)[i] = factor * call.buffer<float>(kX)[i];
      }
    };
  }
  static VariantPlan variant_with(std::uint32_t factor, std::uint32_t answer) {
    VariantPlan plan = variant("times " + std::to_string(factor));
    plan.answer = answer;
    return plan;
  }
  int references() const {
    int launches = 0;
    for (const auto& [name, kernel] : backend_.kernels) {
      if (name.starts_with("reference times")) launches += kernel.launches;
    }
    return launches;
  }
};

TEST_F(ManyAnswers, EachVariantIsComparedWithItsOwn) {
  for (const std::uint32_t factor : {1U, 2U, 3U}) {
    EXPECT_EQ(evaluate(variant_with(factor, factor)).state, TrialState::kOk) << factor;
    const Verdict other = evaluate(variant_with(factor, factor % 3 + 1));
    EXPECT_EQ(other.state, TrialState::kCorrectness) << factor;
  }
  VariantPlan unknown = variant_with(1, 9);
  EXPECT_EQ(evaluate(unknown).message,
            "the reference has no answer for this configuration's values");
}

TEST_F(ManyAnswers, EachIsComputedOnceForTheInputsOfTheStudy) {
  plan_.measure.cache = CacheState::kHot;  // samples on these alone

  std::vector<VariantPlan> finalists;
  for (const std::uint32_t factor : {1U, 2U, 3U, 1U, 2U, 3U}) {
    finalists.push_back(variant_with(factor, factor));
    EXPECT_EQ(evaluate(finalists.back()).state, TrialState::kOk);
  }
  const int once = references();  // for each value, and to see whether they depend on x
  EXPECT_TRUE(evaluation().remeasure(finalists, {3, 1}, nullptr));
  EXPECT_EQ(references(), once);
}

TEST_F(ManyAnswers, OtherInputsHaveAnswersOfTheirOwn) {
  plan_.reference->seeds = 2;
  const auto kept = std::make_shared<std::vector<float>>();
  add_kernel("times 2", [kept](const Call& call) {
    float* y = call.buffer<float>(kY);
    if (kept->empty()) {
      times(2)(call);
      kept->assign(y, y + kElements);
    }
    std::copy(kept->begin(), kept->end(), y);
  });
  const auto result =
      evaluation().remeasure({variant_with(1, 1), variant_with(2, 2)}, {3, 1}, nullptr);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().plan, 1U);
  EXPECT_EQ(result.error().verdict.message.find(
                "right for one set of inputs, wrong for another set of inputs: y differs"),
            0U)
      << result.error().verdict.message;
}

TEST_F(ManyAnswers, WhereMemoryIsShortTheyAreComputedAgain) {
  evaluation();
  const std::size_t all = backend_.live_buffers();
  evaluation_.reset();
  backend_.memory_limit = 9 * 1024;  // of the buffers of three answers not more than one fits
  for (const std::uint32_t factor : {1U, 2U, 3U, 1U}) {
    const Verdict verdict = evaluate(variant_with(factor, factor));
    EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
    EXPECT_LT(backend_.live_buffers(), all);
  }
  EXPECT_GT(references(), 6);
}

TEST_F(ManyAnswers, AFailureNamesTheValues) {
  add_kernel("reference times 2", [](const Call&) {});
  EXPECT_EQ(failure_of_prepare(),
            "the reference for FACTOR=2: leaves 100 of 100 elements of y as NaN, the first at 0: "
            "they are not written (then the role is inout) or wrong");
}

// ---- NaN that is right --------------------------------------------------------------------------

class EqualNan : public EvaluationTest {
 protected:
  EqualNan() {
    plan_.checks.front().how.equal_nan = true;
    add_kernel("reference", doubled_then(first_is_nan));
    add_kernel("good", doubled_then(first_is_nan));
  }
  static void first_is_nan(const Call& call) {
    call.buffer<float>(kY)[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

TEST_F(EqualNan, WhatIsNotWrittenIsNeverRight) {
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  add_kernel("nothing", [](const Call&) {});
  add_kernel("all but the first", [](const Call& call) {
    const float was = call.buffer<float>(kY)[0];
    doubled(call);
    call.buffer<float>(kY)[0] = was;
  });
  for (const char* kernel : {"nothing", "all but the first"}) {
    const Verdict verdict = evaluate(kernel);
    EXPECT_EQ(verdict.state, TrialState::kCorrectness) << kernel;
    EXPECT_EQ(verdict.message, "y: element 0 was not written, or is NaN") << kernel;
  }
  add_kernel("a number", doubled);
  EXPECT_EQ(evaluate("a number").message, "y: element 0 = 2, expected nan");
}

TEST_F(EqualNan, AReferenceThatWritesNothingHasNoAnswer) {
  add_kernel("reference", [](const Call&) {});
  EXPECT_EQ(failure_of_prepare(),
            "the reference: leaves 100 of 100 elements of y as NaN, the first at 0: they are not "
            "written (then the role is inout) or wrong");
  add_kernel("reference", [](const Call& call) { call.buffer<float>(kY)[3] = 1; });
  EXPECT_EQ(failure_of_prepare(),
            "the reference: its right answer for y does not pass: element 0 was not written, or is "
            "NaN");
}

TEST_F(EqualNan, AnAnswerWithoutNanIsComparedAsEver) {
  add_kernel("reference", doubled);
  add_kernel("good", doubled);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  add_kernel("nan", doubled_then(first_is_nan));
  EXPECT_EQ(evaluate("nan").message.find("y[0] = nan, expected 2 (1 of 100 elements differ"), 0U);
  add_kernel("nothing", [](const Call&) {});
  EXPECT_EQ(evaluate("nothing").state, TrialState::kCorrectness);
}

// ---- from the study to the plan -----------------------------------------------------------------

using test::expr;
using test::h200;
using test::space_of;

Study study_with_steps() {
  Study study = test::scale_study();
  study.parameters.push_back(
      {"STEPS", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}, {}});
  study.derived.push_back({"halo", expr("2 * STEPS")});
  study.constraints = {expr("STEPS < 8")};
  study.arguments.push_back(test::scalar("steps", DataType::kInt32, "STEPS"));
  study.reference->per = {"STEPS"};
  study.reference->launch.block[0] = expr("halo");
  return study;
}

TEST(ReferenceCases, ThereIsOneForEachValueThatAConfigurationHas) {
  const Study study = study_with_steps();
  const SearchSpace space = space_of(study);
  const auto cases = reference_cases(study, space);
  ASSERT_EQ(cases.size(), 3U) << "no configuration has 8 steps";
  EXPECT_EQ(cases[1].values, "STEPS=2");
  for (const ReferenceCase& one : cases) {
    const auto request = reference_request(study, space, one, h200(), "source");
    ASSERT_TRUE(request) << request.error();
    EXPECT_EQ("STEPS=" + request->defines.at(2).second, one.values);
  }
}

TEST(ReferenceCases, EachConfigurationHasTheAnswerOfItsValues) {
  const Study study = study_with_steps();
  const SearchSpace space = space_of(study);
  const auto plan = size_plan(study, study.sizes[0], h200(), reference_cases(study, space));
  ASSERT_TRUE(plan) << plan.error();
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.configuration(i);
    const auto variant = variant_plan(study, space, configuration);
    ASSERT_TRUE(variant) << variant.error();
    const auto& answers = plan->reference->answers;
    const auto answer = std::ranges::find(answers, variant->answer, &AnswerPlan::key);
    ASSERT_NE(answer, answers.end());
    EXPECT_EQ(answer->values, "STEPS=" + to_text(configuration[2]));
    EXPECT_EQ(std::to_string(answer->geometry.block[0] / 2), to_text(configuration[2]));
    ASSERT_EQ(answer->overrides.size(), 1U) << "the argument 'steps'";
    EXPECT_EQ(answer->overrides[0].second.scalar[0], variant->overrides[0].second.scalar[0]);
  }
}

}  // namespace
}  // namespace tuner
