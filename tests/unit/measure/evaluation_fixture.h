#pragma once
// An Evaluation of y = 2 x over a fake device, with kernels to go wrong in every way.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
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

  static VariantPlan variant(const std::string& kernel) {
    VariantPlan plan;
    plan.artifact.image = kernel;
    plan.geometry.block[0] = 32;
    return plan;
  }
  // One that is as good as the best until now, and not better: what may win is launched more often.
  static VariantPlan not_better(const std::string& kernel) {
    VariantPlan plan = variant(kernel);
    plan.best_ms = 1;
    return plan;
  }
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
