#pragma once
// Looks between variants whether what is kept for comparing and restoring is whole, and whether the
// device itself has become slower or faster.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "tuner/measure/device_buffers.h"
#include "tuner/measure/session.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Says who is to blame for what is not whole any more.
class KeptWatch {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `buffers` outlives this.
  explicit KeptWatch(DeviceBuffers& buffers, Clock clock = std::chrono::steady_clock::now)
      : buffers_(buffers), clock_(std::move(clock)), looked_(clock_()) {}

  // The variant's verdict, or what it becomes if something that is kept was damaged. It is looked
  // at after what is wrong or becomes the best, and after others as often as that costs little.
  Verdict after(const VariantPlan& variant, Verdict verdict, const Session& session);
  // So many variants were launched just now. Nothing if all is whole; else the verdict on that one,
  // if all was whole before it, or one that blames nobody.
  std::optional<Verdict> look(std::size_t launched, const Session& session);
  // So many variants were launched just now, and the next look is of these, too.
  void put_off(std::size_t launched) { unseen_ += launched; }
  // Whether variants were launched since all was seen to be whole.
  bool is_unsure() const { return unseen_ > 0; }

 private:
  bool is_due() const;

  DeviceBuffers& buffers_;
  Clock clock_;
  std::chrono::steady_clock::time_point looked_;
  std::chrono::steady_clock::duration cost_{};  // of the last look
  std::size_t unseen_ = 0;                      // variants
};

// The first variant that was measured, which is measured again every few seconds.
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
