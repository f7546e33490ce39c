// Keeps the devices of a search together: comparison, loss, what is on them.

#include "tuner/worker/device_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/objective.h"

namespace tuner {

DeviceLanes::DeviceLanes(const SizeTask& task, const Toolchain& tools,
                         std::span<WorkingDevice> devices, Orphaned orphaned)
    : task_(task), orphaned_(std::move(orphaned)) {
  for (WorkingDevice& device : devices) {
    if (!device.lost.empty()) continue;
    lanes_.emplace_back(device, Preparation(task.study, task.size, task.plan, task.references,
                                            tools, *device.worker));
  }
}

void DeviceLanes::warn(const std::string& text) const {
  if (task_.warn) task_.warn(text);
}

std::size_t DeviceLanes::count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lanes_, [](const DeviceLane& lane) { return !lane.is_lost(); }));
}

void DeviceLanes::give_up(DeviceLane& lane, const std::string& why) {
  std::vector<Job> jobs = lane.lose(why);
  if (count() == 0) {
    all_lost_ = why;
    return;
  }
  warn(fmt::format("{} is gone, and the others do its work: {}", text_of(lane.worker().device()),
                   why));
  for (Job& job : jobs) orphaned_(std::move(job), why);
}

// ---- preparation --------------------------------------------------------------------------------

void DeviceLanes::prepare() {
  on_each([](DeviceLane& lane) { lane.preparation().start(); });
}

bool DeviceLanes::take_reference(const CompileResult& result) {
  bool is_reference = false;
  on_each(
      [&](DeviceLane& lane) { is_reference = is_reference || lane.preparation().take(result); });
  if (is_reference && task_.reached) task_.reached("reference compiled");
  return is_reference;
}

void DeviceLanes::look_at_preparation(DeviceLane& lane) {
  const bool was_done = lane.preparation().is_done();
  try {
    for (const std::string& text : lane.preparation().poll()) {
      if (warnings_.insert(text).second) warn(text);
    }
  } catch (const FatalError& error) {
    if (count() == 1) throw;  // it is the size that cannot be prepared, not a device
    return give_up(lane, error.what());
  }
  if (was_done || !lane.preparation().is_done() || &lane != &lanes_.front()) return;
  if (task_.reached) task_.reached("device prepared");
  const double reference_ms = lane.worker().reference_ms();
  if (task_.reference_timed && reference_ms > 0) task_.reference_timed(reference_ms);
}

const Provenance* DeviceLanes::provenance() const {
  const auto ready = std::ranges::find_if(
      lanes_, [](const DeviceLane& lane) { return lane.preparation().is_done(); });
  return ready == lanes_.end() ? nullptr : &ready->preparation().provenance();
}

// ---- comparison ---------------------------------------------------------------------------------

const VariantPlan* DeviceLanes::comparison_due(const DeviceLane& lane) const {
  return sentinel_ && !lane.is_compared() ? &sentinel_->plan : nullptr;
}

// Where the sentinel tells nothing, what the device measured stands; a disturbance, or what failed
// by something outside, gets a second chance.
std::optional<Job> DeviceLanes::compared(DeviceLane& lane, const Verdict& verdict) {
  if (verdict.excusable && !lane.is_compared_again()) return std::nullopt;
  DeviceScale found;
  if (sentinel_ && verdict.state == TrialState::kOk) {
    found = scale_of(sentinel_->timing, verdict.timing, task_.study.measure.simpler_within);
    if (found.is_disturbed && !lane.is_compared_again()) return std::nullopt;
    if (found.is_disturbed) {
      warn(
          fmt::format("{} took {:.2f} times as long for one variant as {} did, which "
                      "no two devices of a model do: something disturbs them, and their figures "
                      "are compared as they are",
                      text_of(lane.worker().device()), found.ratio,
                      text_of(sentinel_->lane->worker().device())));
    }
  } else {
    warn(fmt::format("{} could not be compared with the others: {}",
                     text_of(lane.worker().device()), verdict.message));
  }
  lane.compared(found);
  lane.set_best(best_ms_);
  auto job = lane.take_held();
  return job ? comparable(lane, std::move(*job)) : std::nullopt;
}

std::optional<Job> DeviceLanes::comparable(DeviceLane& lane, Job job) {
  if (lanes_.size() == 1 || !is_valid(job.trial)) return job;
  if (!sentinel_ && job.trial.state == TrialState::kOk) {
    sentinel_ = {job.plan, job.trial.timing, &lane};
    lane.compared({});
  }
  if (comparison_due(lane) != nullptr) {
    lane.hold(std::move(job));
    return std::nullopt;
  }
  scale(lane.factor(), job.trial);
  return job;
}

void DeviceLanes::set_best(double ms) {
  best_ms_ = ms;
  for (DeviceLane& lane : lanes_) lane.set_best(ms);
}

// ---- the final ----------------------------------------------------------------------------------

DeviceLane* DeviceLanes::of_final() {
  if (sentinel_ && !sentinel_->lane->is_lost()) return sentinel_->lane;
  const auto there = std::ranges::find_if_not(lanes_, &DeviceLane::is_lost);
  return there == lanes_.end() ? nullptr : &*there;
}

DeviceLane* DeviceLanes::beside_final() {
  const DeviceLane* const final = of_final();
  const auto there = std::ranges::find_if(
      lanes_, [&](const DeviceLane& lane) { return &lane != final && lane.is_free(); });
  return there == lanes_.end() ? nullptr : &*there;
}

// ---- what is on them ----------------------------------------------------------------------------

void DeviceLanes::watch(std::vector<pollfd>& fds) const {
  for (const DeviceLane& lane : lanes_) {
    if (!lane.is_lost()) lane.worker().watch(fds);
  }
}

TimePoint DeviceLanes::deadline() const {
  TimePoint first = TimePoint::max();
  for (const DeviceLane& lane : lanes_) {
    if (!lane.is_lost()) first = std::min(first, lane.worker().deadline());
  }
  return first;
}

bool DeviceLanes::is_any_free() const { return std::ranges::any_of(lanes_, &DeviceLane::is_free); }

bool DeviceLanes::is_any_running() const {
  return std::ranges::any_of(lanes_,
                             [](const DeviceLane& lane) { return lane.running().has_value(); });
}

bool DeviceLanes::is_any_outstanding() const { return !jobs().empty(); }

bool DeviceLanes::is_preparing() const {
  return provenance() == nullptr && std::ranges::any_of(lanes_, [](const DeviceLane& lane) {
           return !lane.is_lost() && lane.preparation().is_under_way();
         });
}

std::vector<const Job*> DeviceLanes::jobs() const {
  std::vector<const Job*> all;
  for (const DeviceLane& lane : lanes_) {
    if (lane.running()) all.push_back(&*lane.running());
    if (lane.held()) all.push_back(&*lane.held());
  }
  return all;
}

bool DeviceLanes::is_running(const std::string& program) const {
  return std::ranges::any_of(jobs(), [&](const Job* job) { return job->program == program; });
}

double DeviceLanes::busy_seconds() const {
  double seconds = 0;
  for (const DeviceLane& lane : lanes_) seconds += lane.worker().busy_seconds();
  return seconds;
}

std::vector<DeviceShare> DeviceLanes::shares() const {
  std::vector<DeviceShare> all;
  for (const DeviceLane& lane : lanes_) all.push_back(lane.share());
  return all;
}

void DeviceLanes::abort() {
  for (DeviceLane& lane : lanes_) lane.worker().abort();
}

void DeviceLanes::clear() {
  for (DeviceLane& lane : lanes_) lane.clear();
}

}  // namespace tuner
