#pragma once
// The devices of one model that share a search: which are there, and how their times compare.
//
// Where there are several, the first good variant is the sentinel: each device measures it before
// what it measures counts. A device that is gone leaves its work to the others.

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/job.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/variant_builder.h"

namespace tuner {

// How one device's times compare with those of another device of the same model.
struct DeviceScale {
  double ratio = 1;   // how long a variant takes there over how long it takes here
  double factor = 1;  // what times that are measured there are multiplied by; 1: they stand
  // Two devices of one model are never so far apart: something disturbed one of the measurements,
  // and nothing is scaled by them.
  bool is_disturbed = false;
};

// Scales one device to another by one variant that both measured. The devices differ where the
// intervals of the medians do not meet, and the medians are further apart than `tie` (a share) of
// each other.
DeviceScale scale_of(const Timing& here, const Timing& there, double tie);

// The times of a trial as the other device would have them, and the mark that they were scaled.
// Metrics and objective have to be made of them anew.
void scale(double factor, Trial& trial);

// A run worker for as long as a run lasts. Once its device is gone, no size asks it again.
struct WorkingDevice {
  RunWorker* worker;
  std::string lost{};  // why it is gone; empty: it is there
};

// One of the devices that share a search: its run worker, its preparation for the size, and what is
// on it.
class DeviceSlot {
 public:
  // `device` and what the preparation refers to outlive this.
  DeviceSlot(WorkingDevice& device, Preparation preparation);
  DeviceSlot(const DeviceSlot&) = delete;
  DeviceSlot& operator=(const DeviceSlot&) = delete;
  // Ends what is still on the device.
  ~DeviceSlot();

  bool is_lost() const { return !device_.lost.empty(); }
  // The device is gone. Returns what was on it, or waited for what it would say of itself.
  std::vector<Job> lose(const std::string& why);

  Preparation& preparation() { return preparation_; }
  const Preparation& preparation() const { return preparation_; }
  RunWorker& worker() { return *device_.worker; }
  const RunWorker& worker() const { return *device_.worker; }
  bool is_prepared() const { return !is_lost() && preparation_.is_done(); }
  bool is_free() const {
    return is_prepared() && !running_ && !is_comparing_ && !worker().is_coming_up();
  }
  // Whether the worker can begin now. One that has ended is brought back while others go on.
  bool make_ready();

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
  // Returns whether the verdict says nothing of the job, because of what others may have done
  // before it: it is tried once more, in a new worker.
  bool is_void(const Job& job, const Verdict& verdict) const;
  // Returns jobs of which one may have done the damage, to be judged again.
  std::vector<Job> take_doubted();

  // The one with the last result, if the worker has answered for it twice, and how that is said.
  std::optional<std::pair<Job, Verdict>> take_answered_twice();

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
  int comparisons_ = 0;  // that were begun
  std::optional<DeviceScale> scale_;
  std::size_t trials_ = 0;
};

// samples[i][round] of trials[i], whose plans are `variants`. One that fails gets its state and
// message and no samples, and the others go on without it. Empty when the final could not be held,
// as where one fails beside others only.
// `rounds` is told how many are done, of how many, and may be empty.
std::vector<std::vector<double>> remeasure_finalists(RunWorker& worker,
                                                     std::vector<VariantPlan> variants,
                                                     std::vector<Trial>& trials,
                                                     const FinalPlan& plan,
                                                     const RunWorker::IsOver& is_over,
                                                     const std::function<void(int, int)>& rounds);

// Reads counters of them. Who fails goes without, and so do all where nobody may look. Why; empty:
// all have theirs.
std::string count_finalists(RunWorker& worker, std::vector<VariantPlan> variants,
                            std::vector<Trial>& trials, const std::vector<std::string>& counters,
                            const RunWorker::IsOver& is_over);

class DeviceSlots {
 public:
  // Told of a job whose device is gone, and why it is.
  using Orphaned = std::function<void(Job, const std::string& why)>;

  // `task`, `tools` and `devices` outlive this; one device at least is not lost.
  DeviceSlots(const SizeTask& task, const Toolchain& tools, std::span<WorkingDevice> devices,
              Orphaned orphaned);

  // Does something on each device that is there. One that fails is given up; what is wrong with the
  // study is thrown.
  template <typename Action>
  void on_each(Action&& action);
  // Leaves a device to itself, and its work to the others.
  void give_up(DeviceSlot& slot, const std::string& why);
  std::size_t count() const;
  // Why there is no device any more; empty as long as there is one.
  const std::optional<std::string>& all_lost() const { return all_lost_; }

  // Begins to get all of them ready for the size; the first call does.
  void prepare();
  // Takes what is a reference's of the compile pool's answers: false for the others.
  bool take_reference(const CompileResult& result);
  void look_at_preparation(DeviceSlot& slot);
  // Provenance of the references, once one device is prepared; else null.
  const Provenance* provenance() const;

  // Returns the variant that the device is to measure before anything else; null: nothing.
  const VariantPlan* comparison_due(const DeviceSlot& slot) const;
  // The sentinel was measured there. Returns what waited for that.
  std::optional<Job> compared(DeviceSlot& slot, const Verdict& verdict);
  // Returns the job with its times scaled to the first device; empty: it waits for the comparison.
  std::optional<Job> comparable(DeviceSlot& slot, Job job);
  void set_best(double ms);

  // The one whose figures stand as they are, if it is there; null: all are gone.
  DeviceSlot* of_final();
  // Another that could measure now; null: there is none.
  DeviceSlot* beside_final();

  void watch(PollSet& awaited) const;
  bool is_any_free() const;
  bool is_any_running() const;
  bool is_any_outstanding() const;  // running, or measured and not compared
  // None is ready yet, and one is getting so.
  bool is_preparing() const;
  bool is_running(const std::string& program) const;
  std::vector<const Job*> jobs() const;  // that run, or wait for a comparison
  double busy_seconds() const;
  std::vector<DeviceShare> shares() const;
  // Ends what is on the devices, which goes on being told by jobs().
  void abort();
  // Ends what is on the devices, and forgets it.
  void clear();

 private:
  // The first variant that was measured, and its timing there: other devices are compared by it.
  struct Sentinel {
    VariantPlan plan;
    Timing timing;
    DeviceSlot* slot = nullptr;
  };

  void warn(const std::string& text) const;

  const SizeTask& task_;
  Orphaned orphaned_;
  std::deque<DeviceSlot> slots_;
  std::optional<Sentinel> sentinel_;
  double best_ms_ = 0;
  std::set<std::string> warnings_;  // each device would give the same
  std::optional<std::string> all_lost_;
};

template <typename Action>
void DeviceSlots::on_each(Action&& action) {
  for (DeviceSlot& slot : slots_) {
    if (slot.is_lost()) continue;
    try {
      action(slot);
    } catch (const UnavailableError& error) {
      give_up(slot, error.what());
    }
  }
}

}  // namespace tuner
