// Resolves, compiles ahead, and runs one configuration at a time.

#include "tuner/worker/pool_evaluator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/compile/known_sources.h"
#include "tuner/engine/limits.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/verdict.h"

namespace tuner {
namespace {

constexpr int kSecondChances = 2;
// What a user waits after Ctrl-C for what is on the device: most variants take far less.
constexpr double kPatienceSeconds = 1.5;
// A final may take this much longer than it was given before it is ended.
constexpr double kGraceSeconds = 0.3;
constexpr double kLookSeconds = 0.05;  // between two looks whether it is over

}  // namespace

PoolEvaluator::PoolEvaluator(SizeTask task, Toolchain tools, RunWorker& runner,
                             const StopRequest& interrupt)
    : task_(std::move(task)),
      tools_(std::move(tools)),
      runner_(runner),
      interrupt_(interrupt),
      start_(Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(task_.spent))),
      preparation_(task_.study, task_.size, std::move(task_.plan), std::move(task_.references),
                   tools_, runner_) {
  runner_.set_best(0);  // that of another size
}

PoolEvaluator::~PoolEvaluator() { runner_.abort(); }

// Every compile worker busy, as many again waiting for the device, one on it.
std::size_t PoolEvaluator::capacity() const { return 2 * tools_.compilers.jobs() + 2; }

double PoolEvaluator::now() const { return seconds_since(start_); }

std::optional<MachineState> PoolEvaluator::machine() const {
  MachineState machine;
  machine.compile_workers = tools_.compilers.jobs();
  machine.compilers_busy = load_.compilers_busy(machine.compile_workers);
  machine.device_busy = load_.device_busy();
  std::map<std::uint64_t, const Job*> in_order;  // who asked first is compiled first
  for (const auto& [id, job] : compiling_) in_order.emplace(id, &job);
  const auto add = [&machine](const Job& job, Stage stage, double in_stage) {
    machine.under_way.push_back({job.trial.index, stage, seconds_since(job.asked), in_stage});
  };
  for (const auto& [id, job] : in_order) {
    const auto at_work = tools_.compilers.seconds_at_work(job->key);
    add(*job, at_work ? Stage::kCompiling : Stage::kQueued, at_work.value_or(0));
  }
  for (const Job& job : ready_) add(job, Stage::kCompiled, 0);
  if (running_) add(*running_, Stage::kRunning, 0);
  return machine;
}

std::optional<Configuration> PoolEvaluator::in_flight() const {
  return running_ ? std::optional(running_->trial.configuration) : std::nullopt;
}

void PoolEvaluator::note_best(const Trial& trial) {
  if (trial.state != TrialState::kOk) return;
  if (best_ms_ > 0 && trial.timing.median >= best_ms_) return;
  best_ms_ = trial.timing.median;
  runner_.set_best(best_ms_);
}

bool PoolEvaluator::resolve(Job& job, CompileRequest& request) {
  auto plan = variant_plan(task_.study, task_.space, job.trial.configuration);
  if (!plan) {
    fail(std::move(job), TrialState::kConstraints, plan.error());
    return false;
  }
  job.plan = std::move(*plan);
  job.trial.geometry = job.plan.geometry;
  if (auto reason = over_limits(job.plan, task_.facts)) {
    fail(std::move(job), TrialState::kConstraints, *reason);
    return false;
  }
  auto made = compile_request(task_.study, task_.space, job.trial.configuration, job.plan.then,
                              task_.facts, tools_.source_text);
  if (!made) {
    fail(std::move(job), TrialState::kCompile, made.error());
    return false;
  }
  request = std::move(*made);
  return true;
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
  CompileRequest request;
  if (!resolve(job, request)) return;
  preparation_.start();
  job.key = tools_.library.key(request);
  if (const auto artifact = at_hand(job.key)) return compiled(std::move(job), *artifact, true);
  const std::uint64_t id = tools_.compilers.submit(job.key, std::move(request));
  compiling_.emplace(id, std::move(job));
}

// Compiled in this run, or by an earlier one; null: neither. What is being compiled now is not
// looked for on the disk.
std::shared_ptr<const Artifact> PoolEvaluator::at_hand(const std::string& key) {
  if (auto known = at_hand_.find(key)) return known;
  if (tools_.compilers.is_under_way(key)) return nullptr;
  auto cached = tools_.library.find(key);
  if (!cached) return nullptr;
  auto artifact = std::make_shared<const Artifact>(std::move(*cached));
  at_hand_.remember(key, artifact);
  return artifact;
}

void PoolEvaluator::fail(Job job, TrialState state, std::string message) {
  job.trial.state = state;
  job.trial.message = std::move(message);
  finish(std::move(job));
}

void PoolEvaluator::finish(Job job) {
  if (preparation_.is_done()) add_provenance(preparation_.provenance(), job.trial);
  job.trial.cost_seconds += job.trial.compile_ms / 1000;
  finished_.push_back(std::move(job.trial));
}

void PoolEvaluator::compiled(Job job, const Artifact& artifact, bool was_there) {
  job.trial.resources = artifact.resources;
  job.trial.compile_ms = was_there ? 0 : artifact.milliseconds;
  job.trial.cache_hit = was_there;
  add_provenance(tools_.judge(artifact.opened), job.trial);
  if (auto reason = over_limits(job.plan, kernels_of(artifact), task_.facts)) {
    return fail(std::move(job), TrialState::kConstraints, *reason);
  }
  job.plan.artifact = artifact;
  job.plan.artifact.opened.reset();  // nothing to the device
  job.program = program_of(job.plan);
  ready_.push_back(std::move(job));
}

void PoolEvaluator::take_prepared() {
  const bool was_done = preparation_.is_done();
  for (const std::string& text : preparation_.poll()) {
    if (task_.warn) task_.warn(text);
  }
  if (was_done || !preparation_.is_done()) return;
  if (task_.reference_timed && runner_.reference_ms() > 0) {
    task_.reference_timed(runner_.reference_ms());
  }
}

void PoolEvaluator::take_compiled() {
  for (CompileResult& result : tools_.compilers.handle()) {
    if (preparation_.take(result)) continue;
    auto asked = compiling_.extract(result.id);
    if (asked.empty()) continue;  // of another problem size, or from before an interruption
    Job& job = asked.mapped();
    if (result.outcome) {
      at_hand_.remember(job.key, *result.outcome);
      compiled(std::move(job), **result.outcome, result.shared);
    } else {
      add_provenance(tools_.judge(result.outcome.error().opened), job.trial);
      const std::string& log = result.outcome.error().log;
      fail(std::move(job), TrialState::kCompile, missing_prefix(task_.study, log) + log);
    }
  }
}

bool PoolEvaluator::answer_by_twin(Job& job) {
  if (!twins_.answer(job.program, job.trial)) return false;
  score(job.trial);
  finish(std::move(job));
  return true;
}

void PoolEvaluator::start_next() {
  if (running_ || !preparation_.is_done() || interrupt_.count() > 0) return;
  const auto due = std::find_if(ready_.begin(), ready_.end(), [now = Clock::now()](const Job& job) {
    return job.not_before <= now;
  });
  if (due == ready_.end()) return;
  if (answer_by_twin(*due)) {
    ready_.erase(due);
    return;
  }
  // Before a configuration is announced: it is not to blame if this fails.
  if (!runner_.make_ready([&] { return now() >= task_.end || interrupt_.count() > 0; })) return;
  running_ = std::move(*due);
  ready_.erase(due);
  if (task_.announce) task_.announce(running_->trial.configuration);
  running_->plan.best_ms = best_ms_;
  running_->submitted = Clock::now();
  runner_.begin(next_run_++, running_->plan);
}

// Half a second and two seconds later: what was outside (memory of another program) may be gone.
bool PoolEvaluator::try_again(Job& job, const Verdict& verdict) {
  if (!verdict.excusable || job.chances == kSecondChances || interrupt_.count() > 0) return false;
  job.not_before = Clock::now() + std::chrono::milliseconds(job.chances == 0 ? 500 : 2000);
  ++job.chances;
  if (task_.withdraw) task_.withdraw(job.trial.configuration);
  ready_.push_front(std::move(job));
  return true;
}

void PoolEvaluator::take_verdict() {
  auto answer = runner_.handle();
  if (!answer || !running_) return;
  Job job = std::move(*running_);
  running_.reset();
  Verdict& verdict = answer->second;
  if (verdict.device_lost) throw UnavailableError("the device is lost: " + verdict.message);
  if (try_again(job, verdict)) return;
  take_over(verdict, job.trial);
  if (verdict.drift > 0) {
    drift_ = {std::min(drift_.fastest, verdict.drift), std::max(drift_.slowest, verdict.drift)};
  }
  job.trial.occupancy = occupancy(task_.facts, job.trial.resources, job.trial.geometry);
  job.trial.cost_seconds = seconds_since(job.submitted);
  score(job.trial);
  note_best(job.trial);
  if (!verdict.excusable) twins_.add(job.program, job.trial);
  finish(std::move(job));
}

void PoolEvaluator::score(Trial& trial) const {
  tuner::score(task_.study, task_.space.bindings(trial.configuration), trial);
}

void PoolEvaluator::wait(double until) {
  std::vector<pollfd> fds;
  fds.push_back({interrupt_.fd(), POLLIN, 0});
  if (interrupt_.count() > 0) fds.clear();  // readable for ever from now on
  tools_.compilers.watch(fds);
  runner_.watch(fds);
  TimePoint deadline = std::min(tools_.compilers.deadline(), runner_.deadline());
  if (!running_ && preparation_.is_done()) {
    for (const Job& job : ready_) deadline = std::min(deadline, job.not_before);
  }
  long long ms = std::isfinite(until)
                     ? std::clamp(std::llround(1000 * (until - now())) + 1, 0LL, 1000LL)
                     : 1000;
  if (deadline != TimePoint::max()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    ms = std::clamp<long long>(left + 1, 0, ms);
  }
  ::poll(fds.data(), fds.size(), static_cast<int>(ms));
}

void PoolEvaluator::cancel() {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, job] : compiling_) ids.push_back(id);
  compiling_.clear();
  ready_.clear();
  is_cancelled_ = true;
  if (!ids.empty()) tools_.compilers.cancel(ids);
}

bool PoolEvaluator::is_patience_over() {
  if (interrupt_.count() == 0) return false;
  if (!interrupted_) interrupted_ = Clock::now();
  return interrupt_.count() > 1 || seconds_since(*interrupted_) > kPatienceSeconds;
}

std::optional<Trial> PoolEvaluator::next(double until) {
  for (;;) {
    take_prepared();
    take_verdict();
    take_compiled();
    // A worker that cannot be brought back must not take along what is finished.
    if (finished_.empty() || runner_.is_open()) start_next();
    if (!recalled_.empty()) return recalled_.extract(recalled_.begin()).mapped();
    if (!finished_.empty()) {
      Trial trial = std::move(finished_.front());
      finished_.pop_front();
      load_.result(now(), tools_.compilers.busy_seconds(), runner_.busy_seconds());
      return trial;
    }
    if (is_patience_over()) {
      runner_.abort();
      return std::nullopt;
    }
    if (interrupt_.count() > 0) cancel();
    const bool prepares = preparation_.is_under_way() && !is_cancelled_;
    const bool idle = compiling_.empty() && ready_.empty() && !prepares;
    if (!running_ && (interrupt_.count() > 0 || idle)) return std::nullopt;
    if (now() >= until) return std::nullopt;
    wait(until);
  }
}

// Their plans with artifacts, which may have to be compiled again; empty when that cannot be done.
std::vector<VariantPlan> PoolEvaluator::finalists(const std::vector<Trial>& trials,
                                                  const RunWorker::IsOver& is_over) {
  std::vector<VariantPlan> variants;
  std::map<std::uint64_t, std::size_t> awaited;
  const auto give_up = [&]() -> std::vector<VariantPlan> {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, slot] : awaited) ids.push_back(id);
    tools_.compilers.cancel(ids);
    return {};
  };
  for (const Trial& trial : trials) {
    Job job;
    job.trial = trial;
    CompileRequest request;
    if (!resolve(job, request)) {
      finished_.pop_back();
      return give_up();
    }
    const std::string key = tools_.library.key(request);
    variants.push_back(std::move(job.plan));
    if (const auto artifact = at_hand(key)) {
      variants.back().artifact = *artifact;
    } else {
      awaited[tools_.compilers.submit(key, std::move(request))] = variants.size() - 1;
    }
  }
  preparation_.start();
  while (!awaited.empty() || !preparation_.is_done()) {
    if (is_over()) return give_up();
    wait(now() + kLookSeconds);
    take_prepared();
    for (const CompileResult& result : tools_.compilers.handle()) {
      if (preparation_.take(result)) continue;
      const auto slot = awaited.find(result.id);
      if (slot == awaited.end()) continue;
      if (!result.outcome) return give_up();
      variants[slot->second].artifact = **result.outcome;
      awaited.erase(slot);
    }
  }
  return variants;
}

std::vector<std::vector<double>> PoolEvaluator::duel(std::vector<Trial>& trials,
                                                     const FinalPlan& plan) {
  if (running_) runner_.abort();  // the search's time was up before it was done
  running_.reset();
  const double end = now() + plan.seconds;
  const auto is_over = [&] { return interrupt_.count() > 0 || now() >= end + kGraceSeconds; };
  std::vector<VariantPlan> variants = finalists(trials, is_over);
  std::vector<std::size_t> places;  // of the variants that still take part
  for (std::size_t i = 0; i < variants.size(); ++i) places.push_back(i);
  std::vector<std::vector<double>> samples(trials.size());
  while (places.size() > 1 && !is_over()) {
    FinalPlan left = plan;
    left.seconds = end - now();
    RunWorker::Duel duel = runner_.duel(variants, left, is_over, [&](int done) {
      if (task_.round) task_.round(done, plan.rounds);
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

}  // namespace tuner
