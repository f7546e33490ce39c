// Runs configurations on the devices of a search, and keeps these together: comparison, loss,
// final.

#include "tuner/worker/device_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tuner/engine/objective.h"

namespace tuner {

// ---- one device ---------------------------------------------------------------------------------

DeviceLane::DeviceLane(WorkingDevice& device, Preparation preparation)
    : device_(device), preparation_(std::move(preparation)) {
  worker().set_best(0);  // that of another size
}

DeviceLane::~DeviceLane() { worker().abort(); }

std::vector<Job> DeviceLane::lose(const std::string& why) {
  device_.lost = why;
  worker().abort();
  std::vector<Job> jobs;
  if (running_) jobs.push_back(std::move(*running_));
  if (held_) jobs.push_back(std::move(*held_));
  running_.reset();
  held_.reset();
  doubted_.clear();
  is_comparing_ = false;
  return jobs;
}

bool DeviceLane::make_ready() {
  if (worker().is_ready()) return true;
  worker().revive();
  return false;
}

void DeviceLane::begin(Job job, double best_ms) {
  running_ = std::move(job);
  running_->plan.best_ms = best_ms / factor();
  running_->submitted = Clock::now();
  worker().begin(running_->plan);
}

void DeviceLane::begin_comparison(const VariantPlan& sentinel) {
  VariantPlan plan = sentinel;
  plan.best_ms = 0;  // it shall be timed to the end, however slow it is here
  is_comparing_ = true;
  ++comparisons_;
  worker().begin(plan);
}

std::optional<DeviceLane::Ended> DeviceLane::handle() {
  auto answer = worker().handle();
  if (!answer || (!running_ && !is_comparing_)) return std::nullopt;
  Ended ended{std::exchange(running_, std::nullopt), std::move(*answer)};
  is_comparing_ = false;
  return ended;
}

void DeviceLane::counts(const Job& job, Kept kept) {
  last_ = job;
  if (kept == Kept::kWhole) doubted_.clear();
  if (kept == Kept::kNotSeen && is_valid(job.trial)) doubted_.push_back(job);
}

// A fault takes along what could be looked at.
bool DeviceLane::is_void(const Job& job, const Verdict& verdict) const {
  if (verdict.kept == Kept::kDamaged) return true;
  const bool is_fault = verdict.context_dead && !verdict.excusable && !verdict.device_lost;
  return is_fault && !job.was_void && !doubted_.empty();
}

std::vector<Job> DeviceLane::take_doubted() {
  std::vector<Job> jobs = std::exchange(doubted_, {});
  for (Job& job : jobs) job.is_again = job.plan.looks_at_kept = true;
  return jobs;
}

std::optional<std::pair<Job, Verdict>> DeviceLane::take_forger() {
  const auto breach = worker().take_breach();
  if (!breach || !last_) return std::nullopt;
  Verdict verdict;
  verdict.state = TrialState::kRuntime;
  verdict.message = "the worker was killed because it broke the protocol: " + *breach;
  return std::make_pair(*std::exchange(last_, std::nullopt), std::move(verdict));
}

void DeviceLane::clear() {
  if (running_ || is_comparing_) worker().abort();
  running_.reset();
  held_.reset();
  is_comparing_ = false;
}

DeviceShare DeviceLane::share() const {
  DeviceShare share;
  share.device = worker().device();
  share.uuid = worker().facts().uuid;
  share.trials = trials_;
  share.lost = device_.lost;
  if (scale_) share.ratio = scale_->ratio;
  share.factor = factor();
  return share;
}

std::vector<std::vector<double>> hold_duel(RunWorker& worker, std::vector<VariantPlan> variants,
                                           std::vector<Trial>& trials, const FinalPlan& plan,
                                           const RunWorker::IsOver& is_over,
                                           const std::function<void(int, int)>& rounds) {
  const TimePoint begun = Clock::now();
  std::vector<std::size_t> places;  // of the variants that still take part
  for (std::size_t i = 0; i < variants.size(); ++i) places.push_back(i);
  std::vector<std::vector<double>> samples(trials.size());
  while (places.size() > 1 && !is_over()) {
    FinalPlan left = plan;
    left.seconds = plan.seconds - seconds_since(begun);
    RunWorker::Duel duel = worker.duel(variants, left, is_over, [&](int done) {
      if (rounds) rounds(done, plan.rounds);
    });
    if (duel.samples.size() == places.size()) {
      for (std::size_t i = 0; i < places.size(); ++i)
        samples[places[i]] = std::move(duel.samples[i]);
      return samples;
    }
    if (!duel.failed) return {};
    const auto at = static_cast<std::ptrdiff_t>(duel.failed->first);
    Trial& loser = trials[places[duel.failed->first]];
    loser.state = duel.failed->second.state;
    loser.message = "in the final: " + duel.failed->second.message;
    variants.erase(variants.begin() + at);
    places.erase(places.begin() + at);
  }
  return {};
}

// ---- all of them --------------------------------------------------------------------------------

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
