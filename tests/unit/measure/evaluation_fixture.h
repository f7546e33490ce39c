#pragma once
// An Evaluation of y = 2 x over a fake device, with kernels to go wrong in every way.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/fake_backend.h"
#include "tuner/measure/evaluation.h"

namespace tuner::test {

class EvaluationTest : public testing::Test {
 protected:
  // x is random, so that it differs from one set of inputs to the other.
  void draw_inputs() { plan_.arguments[kX].fill = {FillSpec::Kind::kUniform, -1, 1, {}}; }
  static constexpr std::int32_t kElements = 100;
  static constexpr std::size_t kX = 0, kY = 1, kN = 2;  // arguments
  static constexpr int kTimed = 5;  // more launches of a reference, for its time

  EvaluationTest() {
    plan_.arguments = {argument("x", Role::kIn), argument("y", Role::kOut)};
    plan_.arguments[kX].fill = {FillSpec::Kind::kSequence, 1, 1, {}};
    ArgumentPlan n;
    n.name = "n";
    n.type = DataType::kInt32;
    n.is_scalar = true;
    n.scalar = scalar_bytes(DataType::kInt32, std::int64_t{kElements});
    plan_.arguments.push_back(n);
    plan_.reference.emplace();
    plan_.reference->answers.emplace_back();
    plan_.reference->answers.front().artifact.image = "reference";
    plan_.reference->arguments = {0, 1, 2};
    plan_.checks = {{kY, 1e-5, 0}};
    add_kernel("reference", doubled);
    add_kernel("good", doubled);
  }

  static ArgumentPlan argument(std::string name, Role role) {
    ArgumentPlan plan;
    plan.name = std::move(name);
    plan.elements = kElements;
    plan.role = role;
    return plan;
  }
  static void doubled(const FakeBackend::Call& call) {
    for (int i = 0; i < call.scalar<std::int32_t>(kN); ++i) {
      call.buffer<float>(kY)[i] = 2 * call.buffer<float>(kX)[i];
    }
  }
  // The right answer, then whatever the test does to it.
  static std::function<void(const FakeBackend::Call&)> doubled_then(
      std::function<void(const FakeBackend::Call&)> spoil) {
    return [spoil = std::move(spoil)](const FakeBackend::Call& call) {
      doubled(call);
      spoil(call);
    };
  }
  FakeBackend::Kernel& add_kernel(const std::string& name,
                                  std::function<void(const FakeBackend::Call&)> body) {
    backend_.kernels[name].body = std::move(body);
    return backend_.kernels[name];
  }

  // Works in its first launch, and gives what it found then ever after.
  FakeBackend::Kernel& add_keeping(const std::string& name) {
    auto kept = std::make_shared<std::vector<float>>();
    return add_kernel(name, [kept](const FakeBackend::Call& call) {
      float* const y = call.buffer<float>(kY);
      if (kept->empty()) {
        doubled(call);
        kept->assign(y, y + kElements);
      }
      std::copy(kept->begin(), kept->end(), y);
    });
  }
  // How often the reference was launched to say what is right.
  int references() const {
    const FakeBackend::Kernel& reference = backend_.kernels.at("reference");
    return reference.launches - reference.timed;
  }

  // `best_ms`: of the best until now; a kernel takes a millisecond.
  static VariantPlan variant(const std::string& kernel, double best_ms = 0) {
    VariantPlan plan;
    plan.artifact.image = kernel;
    plan.geometry.block[0] = 32;
    plan.best_ms = best_ms;
    return plan;
  }
  // One that is as good as the best until now, and not better: what may win is launched more often.
  static VariantPlan not_better(const std::string& kernel) { return variant(kernel, 1); }
  // Prepares on first use.
  Evaluation& evaluation() {
    if (!evaluation_) {
      evaluation_ = std::make_unique<Evaluation>(backend_, plan_, std::move(plugins_));
      const auto ready = evaluation_->prepare();
      EXPECT_TRUE(ready.has_value()) << (ready ? "" : ready.error().message);
      backend_.timings.clear();  // of the reference
      backend_.timed_order.clear();
    }
    return *evaluation_;
  }
  Verdict evaluate(const VariantPlan& plan) {
    return evaluation().evaluate(plan, [this](Phase phase) { phases_.push_back(phase); });
  }
  Verdict evaluate(const std::string& kernel) { return evaluate(variant(kernel)); }
  // What is said of one whose answer is wrong.
  std::string wrong(const VariantPlan& plan) {
    const Verdict verdict = evaluate(plan);
    EXPECT_EQ(verdict.state, TrialState::kCorrectness);
    return verdict.message;
  }
  std::string wrong(const std::string& kernel) { return wrong(variant(kernel)); }
  Expected<std::vector<std::vector<double>>, FinalistFailure> remeasure(
      const std::vector<std::string>& kernels, const FinalPlan& plan = {.rounds = 3}) {
    std::vector<VariantPlan> plans;
    for (const std::string& kernel : kernels) plans.push_back(variant(kernel));
    return evaluation().remeasure(plans, plan, [this](Phase phase) { phases_.push_back(phase); });
  }
  std::string failure_of_prepare() {
    const auto ready = Evaluation(backend_, plan_, std::move(plugins_)).prepare();
    return ready ? "" : ready.error().message;
  }

  FakeBackend backend_;
  SizePlan plan_;
  StudyPlugins plugins_;  // until evaluation() is first called
  std::vector<Phase> phases_;
  std::unique_ptr<Evaluation> evaluation_;
};

}  // namespace tuner::test
