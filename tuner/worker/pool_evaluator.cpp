// Compiles ahead, and hands what is compiled to the devices.

#include "tuner/worker/pool_evaluator.h"

#include <algorithm>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/measure/verdict.h"
#include "tuner/model/limits.h"
#include "tuner/resolve/objective.h"
#include "tuner/source/known_sources.h"

namespace tuner {
namespace {

constexpr int kMeasureAgain = 2;
// A variant that was on so many devices when they were lost may be what takes them down.
constexpr int kMostDevicesLost = 2;
// Time after Ctrl-C for which variants on the device are waited for: most take far less.
constexpr double kPatienceSeconds = 1.5;
// A final may take this much longer than it was given before it is ended.
constexpr double kGraceSeconds = 0.3;

}  // namespace

PoolEvaluator::PoolEvaluator(SizeTask task, Toolchain tools, std::span<WorkingDevice> devices,
                             const StopRequest& interrupt)
    : task_(std::move(task)),
      tools_(std::move(tools)),
      interrupt_(interrupt),
      start_(Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(task_.spent))),
      builder_(task_, tools_),
      slots_(task_, tools_, devices,
             [this](Job job, const std::string& why) { run_again(std::move(job), why); }) {}

// Every compile worker busy, as many again waiting for the devices, one on each, and one for each
// to go on with.
std::size_t PoolEvaluator::capacity() const {
  return 2 * tools_.compilers.jobs() + 2 * std::max<std::size_t>(1, slots_.count());
}

double PoolEvaluator::now() const { return seconds_since(start_); }

std::optional<MachineState> PoolEvaluator::machine() const {
  MachineState machine;
  machine.compile_workers = tools_.compilers.jobs();
  machine.devices = std::max<std::size_t>(1, slots_.count());
  machine.compilers_busy = load_.compilers_busy(machine.compile_workers);
  machine.device_busy = load_.devices_busy(machine.devices);
  for (const auto& [place, trial] : recalled_) {  // as when they were measured
    machine.under_way.push_back({trial.index, TUNER_STAGE_COMPILING, 0, 0});
  }
  builder_.describe(machine);
  const auto add = [&machine](const Job& job, tuner_stage stage) {
    machine.under_way.push_back({job.trial.index, stage, seconds_since(job.asked), 0});
  };
  for (const Job* job : ready_.asked()) add(*job, TUNER_STAGE_COMPILED);
  for (const Job* job : slots_.jobs()) add(*job, TUNER_STAGE_RUNNING);
  return machine;
}

std::vector<Configuration> PoolEvaluator::in_flight() const {
  std::vector<Configuration> found;
  for (const Job* job : slots_.jobs()) found.push_back(job->trial.configuration);
  return found;
}

// ---- from the question to the queue -------------------------------------------------------------

void PoolEvaluator::note_best(const Trial& trial) {
  if (trial.state != TrialState::kOk || (best_ms_ > 0 && trial.timing.median >= best_ms_)) return;
  best_ms_ = trial.timing.median;
  slots_.set_best(best_ms_);
}

void PoolEvaluator::submit(ConfigIndex index) {
  is_cancelled_ = false;
  Job job;
  job.asked = job.submitted = Clock::now();
  job.trial.index = index;
  job.trial.configuration = task_.space.configuration(index);
  if (task_.recall) {
    if (auto stored = task_.recall(job.trial.configuration)) {
      stored->trial.index = index;
      note_best(stored->trial);
      recalled_.emplace(stored->place, std::move(stored->trial));
      return;
    }
  }
  auto request = builder_.resolve(job);
  if (!request) return finish(std::move(job));
  slots_.prepare();
  if (auto built = builder_.build(std::move(job), std::move(*request))) to_queue(std::move(*built));
}

void PoolEvaluator::to_queue(Job job) {
  if (!is_valid(job.trial)) return finish(std::move(job));
  ready_.add(std::move(job));
}

void PoolEvaluator::reorder(std::span<const ConfigIndex> order) { ready_.reorder(order); }

void PoolEvaluator::finish(Job job) {
  if (const Provenance* from = slots_.provenance()) add_provenance(*from, job.trial);
  job.trial.cost_seconds += job.trial.compile_ms / 1000;
  finished_.push_back(std::move(job.trial));
}

// References go to the devices; the rest is returned.
std::vector<Job> PoolEvaluator::take_compiled() {
  std::vector<Job> jobs;
  for (const CompileResult& result : tools_.compilers.handle()) {
    if (slots_.take_reference(result)) continue;
    if (auto job = builder_.take(result)) jobs.push_back(std::move(*job));
  }
  return jobs;
}

// ---- devices ------------------------------------------------------------------------------------

void PoolEvaluator::run_again(Job job, const std::string& why) {
  if (job.is_again) return;  // it keeps the result that it has
  if (task_.withdraw) task_.withdraw(job.trial.configuration);
  if (++job.devices_lost < kMostDevicesLost) {
    job.trial.state = TrialState::kOk;
    return ready_.add(std::move(job));
  }
  job.trial.state = TrialState::kRuntime;
  job.trial.message = "two devices were lost while it was on them, the second one: " + why;
  finish(std::move(job));
}

bool PoolEvaluator::answer_by_duplicate(Job& job) {
  if (!duplicates_.answer(job.program, job.trial)) return false;
  score(job.trial);
  finish(std::move(job));
  return true;
}

void PoolEvaluator::start_next(DeviceSlot& slot) {
  if (!slot.is_free() || interrupt_.count() > 0) return;
  const VariantPlan* const sentinel = slots_.comparison_due(slot);
  if (sentinel == nullptr) return begin_next(slot);
  if (slot.make_ready()) slot.begin_comparison(*sentinel);
}

// Begins the next job that is due. A program that runs on another device already waits for its
// outcome there.
void PoolEvaluator::begin_next(DeviceSlot& slot) {
  Job* const due = ready_.due([this](const Job& job) { return !slots_.is_running(job.program); });
  if (due == nullptr) return;
  if (!due->is_again && answer_by_duplicate(*due)) return static_cast<void>(ready_.take(*due));
  // A failure that others may have caused is tried where nobody has run before.
  if (due->was_void && slot.worker().has_run()) slot.worker().end();
  // Before a configuration is announced: it is not to blame if this fails.
  if (!slot.make_ready()) return;
  Job job = ready_.take(*due);
  if (task_.announce && !job.is_again) task_.announce(job.trial.configuration);
  slot.begin(std::move(job), best_ms_);
}

// Half a second and two seconds later: what was outside (memory of another program) may be gone.
bool PoolEvaluator::try_again(Job& job, const Verdict& verdict) {
  if (!verdict.retryable || job.chances == kMeasureAgain || interrupt_.count() > 0) return false;
  job.not_before = Clock::now() + std::chrono::milliseconds(job.chances == 0 ? 500 : 2000);
  job.was_void = ++job.chances == kMeasureAgain;  // or variants before it hold the memory
  if (task_.withdraw) task_.withdraw(job.trial.configuration);
  ready_.add_first(std::move(job));
  return true;
}

void PoolEvaluator::take_verdict(DeviceSlot& slot) {
  auto ended = slot.handle();
  if (auto twice = slot.take_answered_twice())
    revise(std::move(twice->first), std::move(twice->second));
  if (!ended) return;
  Verdict& verdict = ended->verdict;
  if (verdict.device_lost) {
    const std::string why = "the device is lost: " + verdict.message;
    slots_.give_up(slot, why);
    if (ended->job && !slots_.all_lost()) run_again(std::move(*ended->job), why);
    return;
  }
  if (!ended->job) {
    if (verdict.kept == Kept::kDamaged) judge_again(slot, std::nullopt);
    if (auto job = slots_.compared(slot, verdict)) settle(std::move(*job));
    return;
  }
  if (slot.is_void(*ended->job, verdict)) return judge_again(slot, std::move(*ended->job));
  if (ended->job->is_again) {
    slot.counts(*ended->job, verdict.kept);
    return revise(std::move(*ended->job), std::move(verdict));
  }
  if (try_again(*ended->job, verdict)) return;
  measured(slot, std::move(*ended->job), std::move(verdict));
}

// One of those that were on the device since what it keeps was whole has damaged that, and the
// worker is made anew. Each is judged again, and looked at afterwards, before the one that was
// wrong.
void PoolEvaluator::judge_again(DeviceSlot& slot, std::optional<Job> job) {
  if (job) {
    if (task_.withdraw && !job->is_again) task_.withdraw(job->trial.configuration);
    job->was_void = true;
    ready_.add_first(std::move(*job));
  }
  for (Job& doubted : slot.take_doubted()) ready_.add(std::move(doubted));
}

// A right answer stands. One that turns out to be wrong is given once more, with what is wrong.
void PoolEvaluator::revise(Job job, Verdict verdict) {
  if (verdict.retryable) return;
  take_over(verdict, job.trial);
  if (is_valid(job.trial)) return;
  duplicates_.add(job.program, job.trial);
  finish(std::move(job));
}

void PoolEvaluator::measured(DeviceSlot& slot, Job job, Verdict verdict) {
  take_over(verdict, job.trial);
  if (verdict.drift > 0) {
    drift_ = {std::min(drift_.fastest, verdict.drift), std::max(drift_.slowest, verdict.drift)};
  }
  job.trial.occupancy = occupancy(task_.facts, job.trial.resources, job.trial.geometry);
  job.trial.cost_seconds = seconds_since(job.submitted);
  job.trial.device_uuid = slot.worker().facts().uuid;
  job.is_retryable = verdict.retryable;
  slot.count_trial();
  slot.counts(job, verdict.kept);
  if (auto counted = slots_.comparable(slot, std::move(job))) settle(std::move(*counted));
}

void PoolEvaluator::settle(Job job) {
  score(job.trial);
  note_best(job.trial);
  if (!job.is_retryable) duplicates_.add(job.program, job.trial);
  finish(std::move(job));
}

void PoolEvaluator::score(Trial& trial) const {
  tuner::score(task_.study, task_.space.bindings(trial.configuration), trial, task_.facts.ceilings);
}

// ---- the search ---------------------------------------------------------------------------------

void PoolEvaluator::wait(double until) {
  PollSet awaited;
  // The descriptor stays readable after the first interruption.
  if (interrupt_.count() == 0) awaited.sockets.push_back({interrupt_.fd(), POLLIN, 0});
  tools_.compilers.watch(awaited);
  slots_.watch(awaited);
  // A job that is due already waits for its twin on another device: that one's answer ends the
  // waiting.
  if (slots_.is_any_free()) awaited.until(ready_.next_due());
  awaited.until(after(Clock::now(), std::min(until - now(), 1.0)));
  awaited.wait();
}

void PoolEvaluator::cancel() {
  builder_.cancel();
  ready_.clear();
  is_cancelled_ = true;
}

bool PoolEvaluator::is_patience_over() {
  if (interrupt_.count() == 0) return false;
  if (!interrupted_) interrupted_ = Clock::now();
  return interrupt_.count() > 1 || seconds_since(*interrupted_) > kPatienceSeconds;
}

// Whether there is a trial to wait for, as far as nobody interrupts. A reference that is wrong is
// told even where no variant comes as far as a device.
bool PoolEvaluator::is_anything_outstanding() const {
  return !builder_.is_idle() || !ready_.empty() || slots_.is_any_outstanding() ||
         (!is_cancelled_ && slots_.is_preparing());
}

std::optional<Trial> PoolEvaluator::take_finished() {
  if (!recalled_.empty()) return recalled_.extract(recalled_.begin()).mapped();
  if (finished_.empty()) return std::nullopt;
  Trial trial = std::move(finished_.front());
  finished_.pop_front();
  load_.result(now(), tools_.compilers.busy_seconds(), slots_.busy_seconds());
  return trial;
}

std::optional<Trial> PoolEvaluator::next(double until) {
  for (;;) {
    slots_.on_each([&](DeviceSlot& slot) {
      slots_.look_at_preparation(slot);
      take_verdict(slot);
    });
    for (Job& job : take_compiled()) to_queue(std::move(job));
    slots_.on_each([&](DeviceSlot& slot) { start_next(slot); });
    if (auto trial = take_finished()) return trial;
    if (slots_.all_lost()) throw UnavailableError(*slots_.all_lost());
    if (is_patience_over()) {
      slots_.abort();
      return std::nullopt;
    }
    if (interrupt_.count() > 0) cancel();
    if (!slots_.is_any_running() && (interrupt_.count() > 0 || !is_anything_outstanding()))
      return std::nullopt;
    if (now() >= until) return std::nullopt;
    wait(until);
  }
}

// Their plans with artifacts, which may have to be compiled again; empty when that cannot be done.
std::vector<VariantPlan> PoolEvaluator::finalists(const std::vector<Trial>& trials,
                                                  DeviceSlot& slot,
                                                  const RunWorker::IsOver& is_over) {
  std::vector<VariantPlan> variants(trials.size());
  std::size_t missing = trials.size();
  bool all_good = true;
  const auto arrived = [&](Job job) {
    if (!job.finalist) return;
    all_good = all_good && is_valid(job.trial);
    variants[*job.finalist] = std::move(job.plan);
    --missing;
  };
  for (std::size_t i = 0; i < trials.size() && all_good; ++i) {
    Job job;
    job.trial = trials[i];
    job.finalist = i;
    auto request = builder_.resolve(job);
    auto built = request ? builder_.build(std::move(job), std::move(*request)) : std::move(job);
    if (built) arrived(std::move(*built));
  }
  slot.preparation().start();
  while (all_good && (missing > 0 || !slot.is_prepared())) {
    if (is_over() || slot.is_lost()) break;
    wait(now() + Channel::kLookSeconds);
    slots_.on_each([&](DeviceSlot& one) { slots_.look_at_preparation(one); });
    for (Job& job : take_compiled()) arrived(std::move(job));
  }
  if (all_good && missing == 0 && slot.is_prepared()) return variants;
  builder_.cancel();
  return {};
}

std::vector<std::vector<double>> PoolEvaluator::remeasure_on(DeviceSlot& slot,
                                                             std::vector<Trial>& trials,
                                                             const FinalPlan& plan,
                                                             const Rounds& rounds) {
  const double end = now() + plan.seconds;
  const auto is_over = [&] { return interrupt_.count() > 0 || now() >= end + kGraceSeconds; };
  std::vector<VariantPlan> variants = finalists(trials, slot, is_over);
  FinalPlan left = plan;
  left.seconds = end - now();
  return remeasure_finalists(slot.worker(), std::move(variants), trials, left, is_over, rounds);
}

std::vector<std::vector<double>> PoolEvaluator::remeasure(std::vector<Trial>& trials,
                                                          const FinalPlan& plan) {
  slots_.clear();  // the search's time was up before it was done
  while (DeviceSlot* const slot = slots_.of_final()) {
    try {
      auto samples = remeasure_on(*slot, trials, plan, task_.round);
      if (!slot->is_lost()) return samples;
    } catch (const UnavailableError& error) {
      slots_.give_up(*slot, error.what());
    }
  }
  throw UnavailableError(slots_.all_lost().value_or("there is no device any more"));
}

std::string PoolEvaluator::count(std::vector<Trial>& trials,
                                 const std::vector<std::string>& counters, double seconds) {
  slots_.clear();
  DeviceSlot* const slot = slots_.of_final();
  if (slot == nullptr) return "there is no device any more";
  const double end = now() + seconds;
  const auto is_over = [&] { return interrupt_.count() > 0 || now() >= end; };
  std::vector<VariantPlan> variants = finalists(trials, *slot, is_over);
  std::string why = count_finalists(slot->worker(), std::move(variants), trials, counters, is_over);
  slot->worker().end();  // the profiler has been in it
  return is_over() && !why.empty() ? "the time was up" : why;
}

std::optional<Elsewhere> PoolEvaluator::remeasure_elsewhere(std::vector<Trial>& trials,
                                                            const FinalPlan& plan) {
  DeviceSlot* const slot = slots_.beside_final();
  if (slot == nullptr) return std::nullopt;
  try {
    auto samples = remeasure_on(*slot, trials, plan, {});
    if (!slot->is_lost()) return Elsewhere{slot->worker().device(), std::move(samples)};
  } catch (const UnavailableError& error) {
    slots_.give_up(*slot, error.what());
  }
  return std::nullopt;
}

}  // namespace tuner
