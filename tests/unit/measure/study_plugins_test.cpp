// What a study leaves to a problem and to observers: when they are asked, and what becomes of it.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "tests/fakes/fake_study_plugins.h"
#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;
using Bytes = FakeProblem::Bytes;

Bytes bytes_of(const std::vector<float>& numbers) {
  Bytes bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<float> floats_in(const Bytes& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// x is filled, y is answered and judged by a problem, which forgives what adds up to less than 1.
class LeftToAProblem : public EvaluationTest {
 protected:
  LeftToAProblem() {
    plan_.arguments[kX].fill = {FillSpec::Kind::kProblem, 0, 0, {}};
    plan_.reference->answers.front().by_problem = true;
    plan_.reference->arguments = {kY};
    plan_.reference->seeds = 2;
    plan_.checks = {{kY, 0, 0, true}};
    auto own = std::make_unique<FakeProblem>();
    problem_ = own.get();
    plugins_.problem = std::move(own);
    problem_->fills = [](std::uint32_t set, const ProblemArray& input) {
      std::vector<float> x(input.elements);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1 + 1000 * set);
      return bytes_of(x);
    };
    problem_->answers = [this](const std::vector<ProblemArray>& inputs) {
      seen_.clear();
      for (const ProblemArray& one : inputs) seen_.push_back(one.name);
      std::vector<float> y = floats_in(inputs.front().data);
      for (float& one : y) one *= 2;
      return bytes_of(y);
    };
    problem_->judges = [](const Bytes& actual, const Bytes& expected) {
      double error = 0;
      const std::vector<float> right = floats_in(expected);
      const std::vector<float> found = floats_in(actual);
      for (std::size_t i = 0; i < right.size(); ++i) error += std::abs(right[i] - found[i]);
      return Judgement{error < 1, error, "off in all"};
    };
  }
  FakeProblem* problem_ = nullptr;
  std::vector<std::string> seen_;  // inputs that the last answer was made from
};

TEST_F(LeftToAProblem, ItFillsAnswersAndJudgesWithoutAReferenceKernel) {
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(backend_.kernels.at("reference").launches, 0);
  EXPECT_EQ(seen_, (std::vector<std::string>{"x", "n"}));
  EXPECT_NE(std::find(problem_->judged.begin(), problem_->judged.end(), 1U), problem_->judged.end())
      << "what may win is compared on other inputs, too";
}

TEST_F(LeftToAProblem, ItsErrorIsTheLargestErrorAndItForgivesWhatItLikes) {
  add_kernel("near", doubled_then([](const Call& call) { call.buffer<float>(kY)[3] += 0.25F; }));
  const Verdict verdict = evaluate(not_better("near"));
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(verdict.max_error, 0.25);
}

TEST_F(LeftToAProblem, WhatItCallsWrongIsWrongInItsWords) {
  add_kernel("far", doubled_then([](const Call& call) { call.buffer<float>(kY)[3] += 2; }));
  EXPECT_EQ(wrong("far"), "y: off in all");
}

TEST_F(LeftToAProblem, AKernelThatKnowsTheFirstSetsAnswersIsWrong) {
  add_kernel("knowing", [](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] = static_cast<float>(2 * i + 2);
  });
  EXPECT_EQ(
      wrong("knowing"),
      "right for one set of inputs, wrong for another set of inputs: y differs (these inputs are "
      "secret)");
}

TEST_F(LeftToAProblem, WhatDependsOnTheConfigurationIsNoInputOfTheAnswer) {
  plan_.arguments[kN].varies = true;
  evaluation();
  EXPECT_EQ(seen_, std::vector<std::string>{"x"});
}

// A scalar has no extents and one element; a struct by value is an array of bytes.
TEST(ProblemArrays, AreAsLargeAsWhatTheyHold) {
  ArgumentPlan number;
  number.is_scalar = true;
  number.scalar.resize(4);
  EXPECT_TRUE(problem_array(number).extents.empty());
  EXPECT_EQ(problem_array(number).elements, 1U);
  ArgumentPlan record = number;
  record.type = DataType::kUInt8;
  record.scalar.resize(24);
  EXPECT_EQ(problem_array(record).extents, std::vector<std::uint64_t>{24});
  EXPECT_EQ(problem_array(record).elements, 24U);
}

TEST_F(LeftToAProblem, AFillThatFailsIsSaidWhenTheSizeIsPrepared) {
  problem_->fills = [](std::uint32_t, const ProblemArray&) {
    return Unexpected{std::string("problem 'p', fill: no")};
  };
  EXPECT_EQ(failure_of_prepare(), "x: problem 'p', fill: no");
}

TEST_F(LeftToAProblem, AnAnswerThatFailsOrDoesNotPassIsSaidWhenTheSizeIsPrepared) {
  problem_->judges = [](const Bytes&, const Bytes&) { return Judgement{false, 7, "never"}; };
  EXPECT_EQ(failure_of_prepare(), "the reference: its right answer for y does not pass: never");
}

TEST_F(LeftToAProblem, WhatItCannotJudgeDoesNotCountAsRight) {
  evaluation();
  problem_->judges = [](const Bytes&, const Bytes&) {
    return Unexpected{std::string("problem 'p', judge: no")};
  };
  EXPECT_EQ(wrong("good"), "y: problem 'p', judge: no");
}

class LookedAtByAnObserver : public EvaluationTest {
 protected:
  LookedAtByAnObserver() {
    auto own = std::make_unique<FakeObserver>();
    observer_ = own.get();
    plugins_.observers.push_back(std::move(own));
    observer_->wanted = 3;
    observer_->begins = [this] { before_ = backend_.kernels.at("good").launches; };
    observer_->ends = [this](const Observed& variant) {
      between_ = backend_.kernels.at("good").launches - before_;
      return Metrics{{"threads", variant.geometry.block[0]},
                     {"samples", static_cast<double>(variant.milliseconds.size())}};
    };
  }
  FakeObserver* observer_ = nullptr;
  int before_ = 0;
  int between_ = 0;
};

TEST_F(LookedAtByAnObserver, ItsLaunchesComeBetweenBeginAndEnd) {
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(between_, 3);
  const auto samples = static_cast<double>(verdict.timing.samples.size());
  EXPECT_EQ(verdict.observed, (Metrics{{"threads", 32}, {"samples", samples}}));
  EXPECT_EQ(phases_.back(), Phase::kObserve);
}

TEST_F(LookedAtByAnObserver, WhatIsWrongOrDroppedIsNotLookedAt) {
  add_kernel("wrong", [](const Call& call) { call.buffer<float>(kY)[0] = 5; });
  EXPECT_EQ(evaluate("wrong").state, TrialState::kCorrectness);
  EXPECT_EQ(evaluate(variant("good", 0.1)).state, TrialState::kDropped);
  EXPECT_EQ(observer_->begun, 0);
}

TEST_F(LookedAtByAnObserver, OneThatFailsIsNamedAndTheVariantHasNoResult) {
  observer_->refuses = "observer 'o', begin: no counters here";
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.state, TrialState::kLaunch);
  EXPECT_EQ(verdict.message, "observer 'o', begin: no counters here");
  EXPECT_FALSE(verdict.context_dead);
}

}  // namespace
}  // namespace tuner
