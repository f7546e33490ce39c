#pragma once
// The devices of one model that share a search: which are there, and how their times compare.
//
// Where there are several, the first good variant is the sentinel: each device measures it before
// what it measures counts (engine/device_scale). A device that is gone leaves its work to the
// others.

#include <poll.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/ports/size_evaluator.h"
#include "tuner/worker/device_lane.h"
#include "tuner/worker/toolchain.h"

namespace tuner {

class DeviceLanes {
 public:
  // Told of a job whose device is gone, and why it is.
  using Orphaned = std::function<void(Job, const std::string& why)>;

  // `task`, `tools` and `devices` outlive this; one device at least is not lost.
  DeviceLanes(const SizeTask& task, const Toolchain& tools, std::span<WorkingDevice> devices,
              Orphaned orphaned);

  // Does something on each device that is there. One that fails is given up; what is wrong with the
  // study is thrown.
  template <typename Action>
  void on_each(Action&& action);
  // Leaves a device to itself, and its work to the others.
  void give_up(DeviceLane& lane, const std::string& why);
  std::size_t count() const;
  // Why there is no device any more; empty as long as there is one.
  const std::optional<std::string>& all_lost() const { return all_lost_; }

  // Begins to get all of them ready for the size; the first call does.
  void prepare();
  // Takes what is a reference's of the compile pool's answers: false for the others.
  bool take_reference(const CompileResult& result);
  void look_at_preparation(DeviceLane& lane);
  // What the references were compiled from, once that is known.
  const Provenance* provenance() const;

  // What the device is to measure before anything else; null: nothing.
  const VariantPlan* comparison_due(const DeviceLane& lane) const;
  // The sentinel was measured there. Returns what waited for that.
  std::optional<Job> compared(DeviceLane& lane, const Verdict& verdict);
  // What was measured on the device, in the times of the first; empty: it waits for the comparison.
  std::optional<Job> comparable(DeviceLane& lane, Job job);
  void set_best(double ms);

  // The one whose figures stand as they are, if it is there; null: all are gone.
  DeviceLane* of_final();
  // Another that could measure now; null: there is none.
  DeviceLane* beside_final();

  void watch(std::vector<pollfd>& fds) const;
  TimePoint deadline() const;
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
  // What the first one to measure it found.
  struct Sentinel {
    VariantPlan plan;
    Timing timing;
    DeviceLane* lane = nullptr;
  };

  void warn(const std::string& text) const;

  const SizeTask& task_;
  Orphaned orphaned_;
  std::deque<DeviceLane> lanes_;
  std::optional<Sentinel> sentinel_;
  double best_ms_ = 0;
  std::set<std::string> warnings_;  // each device would give the same
  std::optional<std::string> all_lost_;
};

template <typename Action>
void DeviceLanes::on_each(Action&& action) {
  for (DeviceLane& lane : lanes_) {
    if (lane.is_lost()) continue;
    try {
      action(lane);
    } catch (const UnavailableError& error) {
      give_up(lane, error.what());
    }
  }
}

}  // namespace tuner
