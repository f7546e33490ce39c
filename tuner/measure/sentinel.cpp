// Times the first good variant again and again, to see the device drift.

#include "tuner/measure/sentinel.h"

#include "tuner/measure/session.h"
#include "tuner/model/statistics.h"

namespace tuner {
namespace {

constexpr std::chrono::seconds kPeriod{2};
constexpr std::uint32_t kSamples = 9;
// A longer kernel would cost more device time than its news is worth.
constexpr double kLongestMs = 20;

}  // namespace

std::optional<double> Sentinel::measure() {
  if (!buffers_.reserve(*variant_)) return std::nullopt;
  auto kernel = backend_.load(variant_->artifact);
  if (!kernel) return std::nullopt;
  const Loaded loaded(backend_, *kernel);
  const BoundLaunch bound = buffers_.bind(*variant_, loaded.kernel());
  if (!buffers_.renew_workspaces(bound)) return std::nullopt;
  TimingRequest request;
  request.samples = kSamples;
  request.flush_cache = buffers_.plan().measure.cache == CacheState::kCold;
  request.graph = buffers_.plan().measure.mode == LaunchMode::kGraph;
  request.restores = bound.restores;
  request.fills = bound.fills();
  const auto times = backend_.time(bound.sequence, request);
  if (!times) return std::nullopt;
  return median(*times);
}

double Sentinel::after(const VariantPlan& variant, const Verdict& verdict) {
  // Constants would have to be set again for each measurement: such studies have no sentinel.
  if (verdict.context_dead || !buffers_.plan().constants.empty()) return 0;
  if (buffers_.plan().measure.by_variant) return 0;  // nine launches may take minutes
  if (!variant_) {
    if (verdict.state != TrialState::kOk || verdict.timing.median > kLongestMs) return 0;
    variant_ = variant;
    due_ = clock_() + kPeriod;  // a run of a few seconds needs no sentinel
    return 0;
  }
  if (clock_() < due_) return 0;
  const auto ms = measure();
  due_ = clock_() + kPeriod;
  if (!ms || !(*ms > 0)) return 0;
  if (first_ms_ == 0) {
    first_ms_ = *ms;
    return 0;
  }
  return *ms / first_ms_;
}

}  // namespace tuner
