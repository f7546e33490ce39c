// A variant that writes far beside its output hits what is kept for comparing and restoring: it is
// blamed for that, and no other. A device that becomes slower is noticed.

#include "tuner/measure/watches.h"

#include <cstddef>
#include <vector>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner::test {
namespace {

// Sevens over the contents of the buffer that was made so many after y's.
void write_beside_y(const FakeBackend::Call& call, int further) {
  const std::vector<float> sevens(100, 7.0F);
  const BufferId y = call.arguments[1].buffer.buffer;
  const auto done = call.device.upload({y + static_cast<BufferId>(further), kGuardBytes},
                                       std::as_bytes(std::span(sevens)));
  EXPECT_TRUE(done.has_value());
}

class Beside : public EvaluationTest {
 protected:
  // Right, but for what it does to another buffer.
  void add_stray(int further) {
    add_kernel("stray", doubled_then([further](const FakeBackend::Call& call) {
                 write_beside_y(call, further);
               }));
  }
};

TEST_F(Beside, WhoWritesIntoTheRightAnswerIsBlamedForThatAndNeedsAnotherWorker) {
  add_stray(1);
  EXPECT_EQ(evaluate("good").kept, Kept::kWhole);
  const Verdict verdict = evaluate(not_better("stray"));
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message,
            "writes far outside of its buffers: it has changed the right answer for y");
  EXPECT_TRUE(verdict.context_dead);
  EXPECT_EQ(verdict.kept, Kept::kNotSeen);
}

TEST_F(Beside, WhoWritesIntoTheCopyOfAnInputIsBlamedForThat) {
  add_stray(-1);
  EXPECT_EQ(wrong("stray"),
            "writes far outside of its buffers: it has changed the copy of x that is kept");
}

TEST_F(Beside, WhoWritesIntoTheCopyOfWhatIsReadAndWrittenIsBlamedForThat) {
  plan_.arguments[kY].role = Role::kInOut;
  plan_.arguments[kY].fill = {FillSpec::Kind::kConstant, 1, 0, {}};
  add_stray(1);
  EXPECT_EQ(evaluate("stray").message,
            "writes far outside of its buffers: it has changed the copy of y that is kept");
}

TEST_F(Beside, AFinalistThatDoesItIsTheOneThatFails) {
  bool strays = false;
  add_kernel("late", doubled_then([&](const FakeBackend::Call& call) {
               if (strays) write_beside_y(call, 1);
             }));
  evaluate("good");
  evaluate("late");
  strays = true;
  FinalPlan plan;
  plan.rounds = 7;
  const std::vector<VariantPlan> finalists{variant("good"), variant("late"), variant("good")};
  auto samples = evaluation().remeasure(finalists, plan, {});
  ASSERT_FALSE(samples.has_value());
  EXPECT_EQ(samples.error().verdict.kept, Kept::kDamaged) << "it is known that somebody did it";
  EXPECT_TRUE(samples.error().verdict.retryable);
  evaluation_.reset();
  plan.looks_at_each = true;
  samples = evaluation().remeasure(finalists, plan, {});
  ASSERT_FALSE(samples.has_value());
  EXPECT_EQ(samples.error().plan, 1U);
  EXPECT_EQ(samples.error().verdict.state, TrialState::kCorrectness);
}

// Kept data that it takes long to look at, by a clock that each look takes half a second of.
class LargeKept : public EvaluationTest {
 protected:
  LargeKept() {
    constexpr std::int64_t kMany = 600000;
    for (const std::size_t i : {kX, kY}) plan_.arguments[i].elements = kMany;
    plan_.arguments[kN].scalar = scalar_bytes(DataType::kInt32, kMany);
    buffers_.emplace(backend_, plan_);
    EXPECT_TRUE(buffers_->prepare());
    watch_.emplace(*buffers_, [this] { return now_ += std::chrono::milliseconds(500); });
    sampler_.emplace(backend_, *buffers_);
    session_.emplace(backend_, *buffers_, *sampler_, none_);
  }
  static Verdict ended(TrialState state) {
    Verdict verdict;
    verdict.state = state;
    verdict.timing.median = 2;
    return verdict;
  }
  Verdict after(TrialState state, bool looks = false) {
    VariantPlan plan = not_better("good");
    plan.looks_at_kept = looks;
    return watch_->after(plan, ended(state), *session_);
  }
  void damage() {
    const std::vector<std::byte> other(8);
    ASSERT_TRUE(backend_.upload({answer_, kGuardBytes + 2400000 - 8}, other));
  }

  static constexpr BufferId answer_ = 4;  // x, its copy, y, its right answer
  std::chrono::steady_clock::time_point now_{};
  std::optional<DeviceBuffers> buffers_;
  std::optional<KeptWatch> watch_;
  PhaseSink none_;
  std::optional<Sampler> sampler_;
  std::optional<Session> session_;
};

TEST_F(LargeKept, IsLookedAtAsOftenAsThatTakesATwentiethOfTheTime) {
  EXPECT_EQ(after(TrialState::kOk).kept, Kept::kWhole);
  EXPECT_EQ(after(TrialState::kOk).kept, Kept::kNotSeen);
  now_ += std::chrono::seconds(10);
  EXPECT_EQ(after(TrialState::kOk).kept, Kept::kWhole);
}

TEST_F(LargeKept, IsLookedAtAfterWhatIsWrongAndWhatIsDoubted) {
  after(TrialState::kOk);
  EXPECT_EQ(after(TrialState::kCorrectness).kept, Kept::kWhole);
  EXPECT_EQ(after(TrialState::kOk, true).kept, Kept::kWhole);
}

TEST_F(LargeKept, OfSeveralThatMayHaveDamagedItNobodyIsBlamed) {
  after(TrialState::kOk);
  after(TrialState::kOk);
  damage();
  const Verdict verdict = after(TrialState::kCorrectness);
  EXPECT_EQ(verdict.kept, Kept::kDamaged);
  EXPECT_EQ(verdict.message, "one of several variants has changed the right answer for y");
  EXPECT_TRUE(verdict.retryable);
  EXPECT_TRUE(verdict.context_dead);
}

TEST_F(LargeKept, WhatWasSeenToBeWholeBeforeWasDamagedByTheNext) {
  after(TrialState::kOk);
  damage();
  const Verdict verdict = after(TrialState::kCorrectness);
  EXPECT_EQ(verdict.kept, Kept::kNotSeen);
  EXPECT_EQ(verdict.message,
            "writes far outside of its buffers: it has changed the right answer for y");
}

using std::chrono::seconds;

class SentinelTest : public EvaluationTest {
 protected:
  SentinelTest()
      : buffers_(backend_, plan_), sentinel_(backend_, buffers_, [this] { return now_; }) {
    EXPECT_TRUE(buffers_.prepare());
    backend_.timings.clear();  // of the reference
  }
  static Verdict good(double ms) {
    Verdict verdict;
    verdict.timing.median = ms;
    return verdict;
  }

  std::chrono::steady_clock::time_point now_{};
  DeviceBuffers buffers_;
  Sentinel sentinel_;
};

TEST_F(SentinelTest, ADeviceThatBecomesATenthSlowerIsReportedAsOnePointOne) {
  double factor = 1;
  backend_.kernels.at("good").milliseconds = [&](int) { return 2 * factor; };
  EXPECT_EQ(sentinel_.after(variant("good"), good(2)), 0);
  now_ += seconds(4);
  EXPECT_EQ(sentinel_.after(variant("other"), good(2)), 0);  // its first time
  factor = 1.1;
  now_ += seconds(4);
  EXPECT_DOUBLE_EQ(sentinel_.after(variant("other"), good(1)), 1.1);
}

TEST_F(SentinelTest, IsNotMeasuredAgainBeforeItsPeriodIsOver) {
  sentinel_.after(variant("good"), good(1));
  const std::size_t before = backend_.timings.size();
  now_ += seconds(1);
  EXPECT_EQ(sentinel_.after(variant("good"), good(1)), 0);
  EXPECT_EQ(backend_.timings.size(), before);
  now_ += seconds(1);
  sentinel_.after(variant("good"), good(1));
  EXPECT_EQ(backend_.timings.size(), before + 1);
}

TEST_F(SentinelTest, AFailedVariantDoesNotBecomeTheSentinel) {
  Verdict wrong;
  wrong.state = TrialState::kCorrectness;
  sentinel_.after(variant("good"), wrong);
  now_ += seconds(10);
  EXPECT_EQ(backend_.timings.size(), 0U);
}

TEST_F(SentinelTest, LeavesNoKernelLoaded) {
  sentinel_.after(variant("good"), good(1));
  now_ += seconds(4);
  sentinel_.after(variant("good"), good(1));
  EXPECT_EQ(backend_.timings.size(), 1U);
  EXPECT_EQ(backend_.loaded_kernels(), 0U);
}

}  // namespace
}  // namespace tuner::test
