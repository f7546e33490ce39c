#pragma once
// Notices that the device itself becomes slower or faster: the first variant that was measured is
// measured again every few seconds.

#include <chrono>
#include <functional>
#include <optional>

#include "tuner/measure/device_buffers.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

class Sentinel {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  Sentinel(Backend& backend, DeviceBuffers& buffers, Clock clock = std::chrono::steady_clock::now)
      : backend_(backend), buffers_(buffers), clock_(std::move(clock)) {}

  // After a variant was measured: the first good one becomes the sentinel, and is measured for the
  // first time when the period is over. Returns the sentinel's
  // time over its first one when it was due, 0 when not, or when it could not be measured.
  double after(const VariantPlan& variant, const Verdict& verdict);

 private:
  std::optional<double> measure();

  Backend& backend_;
  DeviceBuffers& buffers_;
  Clock clock_;
  std::optional<VariantPlan> variant_;
  double first_ms_ = 0;  // 0 = not yet
  std::chrono::steady_clock::time_point due_;
};

}  // namespace tuner
