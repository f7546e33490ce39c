#pragma once
// One of the devices that share a search: its run worker, its preparation for the size, and what is
// on it.

#include <poll.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/engine/device_scale.h"
#include "tuner/ports/size_evaluator.h"
#include "tuner/worker/job.h"
#include "tuner/worker/preparation.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// A run worker for as long as a run lasts. Once its device is gone, no size asks it again.
struct WorkingDevice {
  RunWorker* worker;
  std::string lost{};  // why it is gone; empty: it is there
};

class DeviceLane {
 public:
  // `device` and what the preparation refers to outlive this.
  DeviceLane(WorkingDevice& device, Preparation preparation);
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;
  // Ends what is still on the device.
  ~DeviceLane();

  bool is_lost() const { return !device_.lost.empty(); }
  // The device is gone. Returns what was on it, or waited for what it would say of itself.
  std::vector<Job> lose(const std::string& why);

  Preparation& preparation() { return preparation_; }
  const Preparation& preparation() const { return preparation_; }
  RunWorker& worker() { return *device_.worker; }
  const RunWorker& worker() const { return *device_.worker; }
  bool is_prepared() const { return !is_lost() && preparation_.is_done(); }
  bool is_free() const { return is_prepared() && !running_ && !is_comparing_ && !is_reviving_; }

  // The worker has ended: it is brought back while others go on.
  void start_reviving();
  // Throws UnavailableError when that cannot be done.
  void look_at_revival();

  // Only when it is free and its worker is ready. `best_ms` is by the clock of the first device.
  void begin(Job job, double best_ms);
  // The sentinel, a variant that all devices measure to be compared.
  void begin_comparison(const VariantPlan& sentinel);
  struct Ended {
    std::optional<Job> job;  // empty: it was the sentinel
    Verdict verdict;
  };
  std::optional<Ended> handle();
  // Ends what is on the device, and forgets it and what was held.
  void clear();

  const std::optional<Job>& running() const { return running_; }
  // Measured, and waits until this device was compared with the others.
  void hold(Job job) { held_ = std::move(job); }
  const std::optional<Job>& held() const { return held_; }
  std::optional<Job> take_held() { return std::exchange(held_, std::nullopt); }

  bool is_compared() const { return scale_.has_value(); }
  bool is_compared_again() const { return comparisons_ > 1; }
  void compared(DeviceScale scale) { scale_ = scale; }
  double factor() const { return scale_ ? scale_->factor : 1; }

  // A result counts. Until what the worker keeps was seen to be whole, it may be doubted.
  void counts(const Job& job, Kept kept);
  // Nothing is known of a job with this verdict, because of what others may have done before it.
  bool is_void(const Job& job, const Verdict& verdict) const;
  // Those of which one may have done it, to be judged again.
  std::vector<Job> take_doubted();

  // The one with the last result, if the worker has answered for it twice, and how that is said.
  std::optional<std::pair<Job, Verdict>> take_forger();

  void set_best(double ms) { worker().set_best(ms / factor()); }
  void count_trial() { ++trials_; }
  DeviceShare share() const;

 private:
  WorkingDevice& device_;
  Preparation preparation_;
  std::optional<Job> running_;
  std::optional<Job> held_;
  std::optional<Job> last_;   // that has a result
  std::vector<Job> doubted_;  // results since what is kept was last seen to be whole
  bool is_comparing_ = false;
  bool is_reviving_ = false;
  int comparisons_ = 0;  // that were begun
  std::optional<DeviceScale> scale_;
  std::size_t trials_ = 0;
};

}  // namespace tuner
