// Timed launches on other inputs in each sample, on a GPU: who is right, and who is found out.

#include <string>
#include <utility>

#include "gpu_fixture.h"
#include "tuner/measure/evaluation.h"

namespace tuner {
namespace {

constexpr std::int64_t kElements = 100'000;

// `keeping` gives the answer of its first launch ever after.
constexpr const char* kSource = R"cuda(
__device__ float kept[100000];
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void keeping(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (kept[i] == 0) kept[i] = 2 * x[i];
  y[i] = kept[i];
}
)cuda";

class GpuFreshInputs : public Gpu {
 protected:
  Artifact compiled(const std::string& entry) {
    backend->unload(load(kSource, entry).id);
    return artifact;
  }
  SizePlan plan() {
    ArgumentPlan x;
    x.name = "x";
    x.elements = kElements;
    x.fill = {FillSpec::Kind::kUniform, 1, 2, {}};
    ArgumentPlan y = x;
    y.name = "y";
    y.role = Role::kOut;
    ArgumentPlan n;
    n.name = "n";
    n.type = DataType::kInt32;
    n.is_scalar = true;
    n.scalar = scalar_bytes(DataType::kInt32, kElements);
    SizePlan plan;
    plan.arguments = {x, y, n};
    AnswerPlan answer;
    answer.artifact = compiled("twice");
    answer.geometry = geometry(391, 256);
    plan.reference = ReferencePlan{{0, 1, 2}, {answer}, 2};
    plan.checks = {{1, 1e-6, 0}};
    return plan;
  }
  VariantPlan variant(const std::string& entry) {
    VariantPlan plan;
    plan.artifact = compiled(entry);
    plan.geometry = geometry(391, 256);
    return plan;
  }
};

TEST_F(GpuFreshInputs, AKernelThatKeepsItsAnswerIsFoundOut) {
  const VariantPlan honest = variant("twice");
  const VariantPlan keeping = variant("keeping");
  for (const LaunchMode mode : {LaunchMode::kStream, LaunchMode::kGraph}) {
    for (const CacheState cache : {CacheState::kCold, CacheState::kHot, CacheState::kRotate}) {
      SizePlan asked = plan();
      asked.measure.mode = mode;
      asked.measure.cache = cache;
      asked.measure.inputs = TimedInputs::kFresh;
      Evaluation evaluation(*backend, asked);
      const auto ready = evaluation.prepare();
      ASSERT_TRUE(ready) << ready.error().message;
      const Verdict right = evaluation.evaluate(honest, nullptr);
      EXPECT_EQ(right.state, TrialState::kOk) << right.message;
      EXPECT_GT(right.timing.median, 0);
      const Verdict wrong = evaluation.evaluate(keeping, nullptr);
      EXPECT_EQ(wrong.state, TrialState::kCorrectness) << static_cast<int>(cache);
      EXPECT_TRUE(wrong.message.starts_with("right for one set of inputs, wrong for another"))
          << wrong.message;
      const auto final = evaluation.remeasure({honest, keeping}, {3, 1}, nullptr);
      ASSERT_FALSE(final);
      EXPECT_EQ(final.error().plan, 1U) << final.error().verdict.message;
    }
  }
}

// Inputs lie in the cache when they have just been written: a cold one is flushed behind that.
TEST_F(GpuFreshInputs, TimesWithAColdCacheAreThoseOfTheSameInputs) {
  const VariantPlan honest = variant("twice");
  double times[2] = {};
  for (const TimedInputs inputs : {TimedInputs::kSame, TimedInputs::kFresh}) {
    SizePlan asked = plan();
    asked.measure.inputs = inputs;
    Evaluation evaluation(*backend, asked);
    ASSERT_TRUE(evaluation.prepare());
    times[inputs == TimedInputs::kFresh ? 1 : 0] =
        evaluation.evaluate(honest, nullptr).timing.median;
  }
  EXPECT_NEAR(times[1], times[0], 0.15 * times[0]);
}

}  // namespace
}  // namespace tuner
