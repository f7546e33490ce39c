#pragma once
// Looks whether what is kept for comparing and restoring is whole, and says who is to blame where
// it is not.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "tuner/measure/device_buffers.h"
#include "tuner/measure/session.h"
#include "tuner/model/plan.h"

namespace tuner {

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

}  // namespace tuner
