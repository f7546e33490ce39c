// Runs configurations on the devices of a search, and keeps these together: comparison, loss,
// final.

#include "tuner/worker/device_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tuner/measure/verdict.h"

namespace tuner {

namespace {

// Chips of one model differ by some percent, and by a tenth where one of them is at its limit of
// power or temperature.
constexpr double kMostApart = 0.25;

}  // namespace

DeviceScale scale_of(const Timing& here, const Timing& there, double tie) {
  if (!is_time(here.median) || !is_time(there.median)) return {};
  DeviceScale scale{there.median / here.median};
  const bool meet = there.ci_low <= here.ci_high && here.ci_low <= there.ci_high;
  const double apart = std::max(scale.ratio, 1 / scale.ratio) - 1;
  scale.is_disturbed = !meet && apart > kMostApart;
  if (!meet && apart > tie && !scale.is_disturbed) scale.factor = 1 / scale.ratio;
  return scale;
}

void scale(double factor, Trial& trial) {
  if (factor == 1) return;
  Timing& timing = trial.timing;
  for (double& sample : timing.samples) sample *= factor;
  for (double* time : {&timing.median, &timing.ci_low, &timing.ci_high, &timing.min}) {
    *time *= factor;
  }
  trial.device_scale = factor;
}

// ---- one device ---------------------------------------------------------------------------------

DeviceSlot::DeviceSlot(WorkingDevice& device, Preparation preparation)
    : device_(device), preparation_(std::move(preparation)) {
  worker().set_best(0);  // that of another size
}

DeviceSlot::~DeviceSlot() { worker().abort(); }

std::vector<Job> DeviceSlot::lose(const std::string& why) {
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

bool DeviceSlot::make_ready() {
  if (worker().is_ready()) return true;
  worker().revive();
  return false;
}

void DeviceSlot::begin(Job job, double best_ms) {
  running_ = std::move(job);
  running_->plan.best_ms = best_ms / factor();
  running_->submitted = Clock::now();
  worker().begin(running_->plan);
}

void DeviceSlot::begin_comparison(const VariantPlan& sentinel) {
  VariantPlan plan = sentinel;
  plan.best_ms = 0;  // it shall be timed to the end, however slow it is here
  is_comparing_ = true;
  ++comparisons_;
  worker().begin(plan);
}

std::optional<DeviceSlot::Ended> DeviceSlot::handle() {
  auto answer = worker().handle();
  if (!answer || (!running_ && !is_comparing_)) return std::nullopt;
  Ended ended{std::exchange(running_, std::nullopt), std::move(*answer)};
  is_comparing_ = false;
  return ended;
}

void DeviceSlot::counts(const Job& job, Kept kept) {
  last_ = job;
  if (kept == Kept::kWhole) doubted_.clear();
  if (kept == Kept::kNotSeen && is_valid(job.trial)) doubted_.push_back(job);
}

// A failure counts where nobody has run before. A fault also takes along what could be looked at.
bool DeviceSlot::is_void(const Job& job, const Verdict& verdict) const {
  if (verdict.kept == Kept::kDamaged) return true;
  if (job.was_void || verdict.retryable || verdict.device_lost) return false;
  if (verdict.context_dead && !doubted_.empty()) return true;
  return worker().had_run() && may_be_of_others(verdict);
}

std::vector<Job> DeviceSlot::take_doubted() {
  std::vector<Job> jobs = std::exchange(doubted_, {});
  for (Job& job : jobs) job.is_again = job.plan.looks_at_kept = true;
  return jobs;
}

std::optional<std::pair<Job, Verdict>> DeviceSlot::take_answered_twice() {
  const auto breach = worker().take_breach();
  if (!breach || !last_) return std::nullopt;
  Verdict verdict;
  verdict.state = TrialState::kRuntime;
  verdict.message = "the worker was killed because it broke the protocol: " + *breach;
  return std::make_pair(*std::exchange(last_, std::nullopt), std::move(verdict));
}

void DeviceSlot::clear() {
  if (running_ || is_comparing_) worker().abort();
  running_.reset();
  held_.reset();
  is_comparing_ = false;
}

DeviceShare DeviceSlot::share() const {
  DeviceShare share;
  share.device = worker().device();
  share.uuid = worker().facts().uuid;
  share.trials = trials_;
  share.lost = device_.lost;
  if (scale_) share.ratio = scale_->ratio;
  share.factor = factor();
  return share;
}

namespace {

// Returns the verdict on a finalist that failed. If another may have caused the failure, the
// finalist runs again alone, where nobody has run; empty if it does not fail there.
std::optional<Verdict> own_failure(RunWorker& worker, const VariantPlan& finalist, Verdict verdict,
                                   const FinalPlan& plan, const RunWorker::IsOver& is_over) {
  if (!may_be_of_others(verdict)) return verdict;
  worker.end();
  RunWorker::Remeasured alone = worker.remeasure({finalist}, plan, is_over);
  if (!alone.failed) return std::nullopt;
  return std::move(alone.failed->second);
}

}  // namespace

std::vector<std::vector<double>> remeasure_finalists(RunWorker& worker,
                                                     std::vector<VariantPlan> variants,
                                                     std::vector<Trial>& trials,
                                                     const FinalPlan& plan,
                                                     const RunWorker::IsOver& is_over,
                                                     const std::function<void(int, int)>& rounds) {
  const TimePoint begun = Clock::now();
  std::vector<std::size_t> places;  // of the variants that still take part
  for (std::size_t i = 0; i < variants.size(); ++i) {
    places.push_back(i);
    variants[i].searched_ms = trials[i].timing.median;
  }
  std::vector<std::vector<double>> samples(trials.size());
  while (places.size() > 1 && !is_over()) {
    FinalPlan left = plan;
    left.seconds = plan.seconds - seconds_since(begun);
    RunWorker::Remeasured result = worker.remeasure(variants, left, is_over, [&](int done) {
      if (rounds) rounds(done, plan.rounds);
    });
    if (result.samples.size() == places.size()) {
      for (std::size_t i = 0; i < places.size(); ++i)
        samples[places[i]] = std::move(result.samples[i]);
      return samples;
    }
    if (!result.failed) return {};
    const auto at = static_cast<std::ptrdiff_t>(result.failed->first);
    left.seconds = plan.seconds - seconds_since(begun);
    const auto verdict = own_failure(worker, variants[result.failed->first],
                                     std::move(result.failed->second), left, is_over);
    if (!verdict) return {};
    Trial& loser = trials[places[result.failed->first]];
    loser.state = verdict->state;
    loser.message = "in the final: " + verdict->message;
    variants.erase(variants.begin() + at);
    places.erase(places.begin() + at);
  }
  return {};
}

std::string count_finalists(RunWorker& worker, std::vector<VariantPlan> variants,
                            std::vector<Trial>& trials, const std::vector<std::string>& counters,
                            const RunWorker::IsOver& is_over) {
  std::vector<std::size_t> places;  // of the variants that still take part
  for (std::size_t i = 0; i < variants.size(); ++i) places.push_back(i);
  FinalPlan plan;
  plan.counters = counters;
  std::string why = places.empty() ? "they could not be made ready" : "";
  while (!places.empty()) {
    if (is_over()) return "the time was up";
    const RunWorker::Remeasured read = worker.remeasure(variants, plan, is_over);
    for (std::size_t i = 0; i < read.samples.size(); ++i) {
      for (std::size_t k = 0; k < counters.size(); ++k) {
        if (!std::isfinite(read.samples[i][k])) continue;
        trials[places[i]].counters.emplace_back(counters[k], read.samples[i][k]);
      }
    }
    if (!read.samples.empty()) break;
    if (!read.failed) return "the process that counted has ended";
    why = read.failed->second.message;
    if (read.failed->second.state == TrialState::kLaunch) break;  // nobody has any
    const auto at = static_cast<std::ptrdiff_t>(read.failed->first);
    variants.erase(variants.begin() + at);
    places.erase(places.begin() + at);
  }
  return why;
}

// ---- all of them --------------------------------------------------------------------------------

DeviceSlots::DeviceSlots(const SizeTask& task, const Toolchain& tools,
                         std::span<WorkingDevice> devices, Orphaned orphaned)
    : task_(task), orphaned_(std::move(orphaned)) {
  for (WorkingDevice& device : devices) {
    if (!device.lost.empty()) continue;
    slots_.emplace_back(device, Preparation(task.study, task.size, task.plan, task.references,
                                            tools, *device.worker));
  }
}

void DeviceSlots::warn(const std::string& text) const {
  if (task_.warn) task_.warn(text);
}

std::size_t DeviceSlots::count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](const DeviceSlot& slot) { return !slot.is_lost(); }));
}

void DeviceSlots::give_up(DeviceSlot& slot, const std::string& why) {
  std::vector<Job> jobs = slot.lose(why);
  if (count() == 0) {
    all_lost_ = why;
    return;
  }
  warn(fmt::format("{} is gone, and the others do its work: {}", text_of(slot.worker().device()),
                   why));
  for (Job& job : jobs) orphaned_(std::move(job), why);
}

// ---- preparation --------------------------------------------------------------------------------

void DeviceSlots::prepare() {
  on_each([](DeviceSlot& slot) { slot.preparation().start(); });
}

bool DeviceSlots::take_reference(const CompileResult& result) {
  bool is_reference = false;
  on_each(
      [&](DeviceSlot& slot) { is_reference = is_reference || slot.preparation().take(result); });
  if (is_reference && task_.reached) task_.reached("reference compiled");
  return is_reference;
}

void DeviceSlots::look_at_preparation(DeviceSlot& slot) {
  const bool was_done = slot.preparation().is_done();
  try {
    for (const std::string& text : slot.preparation().poll()) {
      if (warnings_.insert(text).second) warn(text);
    }
  } catch (const FatalError& error) {
    if (count() == 1) throw;  // it is the size that cannot be prepared, not a device
    return give_up(slot, error.what());
  }
  if (was_done || !slot.preparation().is_done() || &slot != &slots_.front()) return;
  if (task_.reached) task_.reached("device prepared");
  const double reference_ms = slot.worker().reference_ms();
  if (task_.reference_timed && reference_ms > 0) task_.reference_timed(reference_ms);
}

const Provenance* DeviceSlots::provenance() const {
  const auto ready = std::ranges::find_if(
      slots_, [](const DeviceSlot& slot) { return slot.preparation().is_done(); });
  return ready == slots_.end() ? nullptr : &ready->preparation().provenance();
}

// ---- comparison ---------------------------------------------------------------------------------

const VariantPlan* DeviceSlots::comparison_due(const DeviceSlot& slot) const {
  return sentinel_ && !slot.is_compared() ? &sentinel_->plan : nullptr;
}

// Settles how a device compares with the first. If the sentinel fails there, the device's figures
// stand as measured; a disturbance, or a failure by something outside, gets a second chance.
std::optional<Job> DeviceSlots::compared(DeviceSlot& slot, const Verdict& verdict) {
  if (verdict.retryable && !slot.is_compared_again()) return std::nullopt;
  DeviceScale found;
  if (sentinel_ && verdict.state == TrialState::kOk) {
    found = scale_of(sentinel_->timing, verdict.timing, task_.study.measure.simpler_within);
    if (found.is_disturbed && !slot.is_compared_again()) return std::nullopt;
    if (found.is_disturbed) {
      warn(
          fmt::format("{} took {:.2f} times as long for one variant as {} did, which "
                      "no two devices of a model do: something disturbs them, and their figures "
                      "are compared as they are",
                      text_of(slot.worker().device()), found.ratio,
                      text_of(sentinel_->slot->worker().device())));
    }
  } else {
    warn(fmt::format("{} could not be compared with the others: {}",
                     text_of(slot.worker().device()), verdict.message));
  }
  slot.compared(found);
  slot.set_best(best_ms_);
  auto job = slot.take_held();
  return job ? comparable(slot, std::move(*job)) : std::nullopt;
}

std::optional<Job> DeviceSlots::comparable(DeviceSlot& slot, Job job) {
  if (slots_.size() == 1 || !is_valid(job.trial)) return job;
  if (!sentinel_ && job.trial.state == TrialState::kOk) {
    sentinel_ = {job.plan, job.trial.timing, &slot};
    slot.compared({});
  }
  if (comparison_due(slot) != nullptr) {
    slot.hold(std::move(job));
    return std::nullopt;
  }
  scale(slot.factor(), job.trial);
  return job;
}

void DeviceSlots::set_best(double ms) {
  best_ms_ = ms;
  for (DeviceSlot& slot : slots_) slot.set_best(ms);
}

// ---- the final ----------------------------------------------------------------------------------

DeviceSlot* DeviceSlots::of_final() {
  if (sentinel_ && !sentinel_->slot->is_lost()) return sentinel_->slot;
  const auto there = std::ranges::find_if_not(slots_, &DeviceSlot::is_lost);
  return there == slots_.end() ? nullptr : &*there;
}

DeviceSlot* DeviceSlots::beside_final() {
  const DeviceSlot* const final = of_final();
  const auto there = std::ranges::find_if(
      slots_, [&](const DeviceSlot& slot) { return &slot != final && slot.is_free(); });
  return there == slots_.end() ? nullptr : &*there;
}

// ---- what is on them ----------------------------------------------------------------------------

void DeviceSlots::watch(PollSet& awaited) const {
  for (const DeviceSlot& slot : slots_) {
    if (!slot.is_lost()) slot.worker().watch(awaited);
  }
}

bool DeviceSlots::is_any_free() const { return std::ranges::any_of(slots_, &DeviceSlot::is_free); }

bool DeviceSlots::is_any_running() const {
  return std::ranges::any_of(slots_,
                             [](const DeviceSlot& slot) { return slot.running().has_value(); });
}

bool DeviceSlots::is_any_outstanding() const { return !jobs().empty(); }

bool DeviceSlots::is_preparing() const {
  return provenance() == nullptr && std::ranges::any_of(slots_, [](const DeviceSlot& slot) {
           return !slot.is_lost() && slot.preparation().is_under_way();
         });
}

std::vector<const Job*> DeviceSlots::jobs() const {
  std::vector<const Job*> all;
  for (const DeviceSlot& slot : slots_) {
    if (slot.running()) all.push_back(&*slot.running());
    if (slot.held()) all.push_back(&*slot.held());
  }
  return all;
}

bool DeviceSlots::is_running(const std::string& program) const {
  return std::ranges::any_of(jobs(), [&](const Job* job) { return job->program == program; });
}

double DeviceSlots::busy_seconds() const {
  double seconds = 0;
  for (const DeviceSlot& slot : slots_) seconds += slot.worker().busy_seconds();
  return seconds;
}

std::vector<DeviceShare> DeviceSlots::shares() const {
  std::vector<DeviceShare> all;
  for (const DeviceSlot& slot : slots_) all.push_back(slot.share());
  return all;
}

void DeviceSlots::abort() {
  for (DeviceSlot& slot : slots_) slot.worker().abort();
}

void DeviceSlots::clear() {
  for (DeviceSlot& slot : slots_) slot.clear();
}

}  // namespace tuner
