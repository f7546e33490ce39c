#include "tests/unit/measure/evaluation_fixture.h"
#include "tuner/measure/watches.h"

namespace tuner::test {
namespace {

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
