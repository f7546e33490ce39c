// Runs one configuration after the other on one device.

#include "tuner/worker/device_lane.h"

#include <utility>

#include "tuner/engine/objective.h"

namespace tuner {

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
  is_comparing_ = is_reviving_ = false;
  return jobs;
}

void DeviceLane::start_reviving() {
  is_reviving_ = true;
  worker().start_reviving();
}

void DeviceLane::look_at_revival() {
  if (is_reviving_ && worker().handle_reviving()) is_reviving_ = false;
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
  if (running_ || is_comparing_ || is_reviving_) worker().abort();
  running_.reset();
  held_.reset();
  is_comparing_ = is_reviving_ = false;
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

}  // namespace tuner
