// Resolves, compiles ahead, and runs one configuration at a time.

#include "tuner/worker/pool_evaluator.h"

#include <algorithm>

#include "tuner/base/error.h"
#include "tuner/engine/limits.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/resolve.h"

namespace tuner {
namespace {

constexpr std::size_t kKnownBytes = std::size_t{256} << 20;
constexpr int kSecondChances = 2;

void add(const Provenance& provenance, Trial& trial) {
  trial.sources_known = trial.sources_known && provenance.known;
  for (const FileState& file : provenance.further) {
    if (std::ranges::find(trial.further_files, file) == trial.further_files.end()) {
      trial.further_files.push_back(file);
    }
  }
}

}  // namespace

PoolEvaluator::PoolEvaluator(EvaluatorSetup setup, CompilePool& compilers, RunWorker& runner,
                             const Interrupt& interrupt)
    : setup_(std::move(setup)),
      compilers_(compilers),
      runner_(runner),
      interrupt_(interrupt),
      start_(Clock::now()) {
  runner_.set_best(0);  // that of another size
}

// Every compile worker busy, as many again waiting for the device, one on it.
std::size_t PoolEvaluator::capacity() const { return 2 * compilers_.jobs() + 2; }

double PoolEvaluator::now() const { return seconds_since(start_); }

std::optional<Configuration> PoolEvaluator::in_flight() const {
  if (!running_) return std::nullopt;
  return running_->trial.configuration;
}

void PoolEvaluator::note_best(const Trial& trial) {
  if (trial.state != TrialState::kOk) return;
  if (best_ms_ > 0 && trial.timing.median >= best_ms_) return;
  best_ms_ = trial.timing.median;
  runner_.set_best(best_ms_);
}

bool PoolEvaluator::resolve(Job& job, CompileRequest& request) {
  auto plan = variant_plan(*setup_.study, *setup_.space, job.trial.configuration);
  if (!plan) {
    fail(std::move(job), TrialState::kConstraints, plan.error());
    return false;
  }
  job.plan = std::move(*plan);
  job.trial.geometry = job.plan.geometry;
  if (auto reason = over_limits(job.plan, setup_.facts)) {
    fail(std::move(job), TrialState::kConstraints, *reason);
    return false;
  }
  auto made = compile_request(*setup_.study, *setup_.space, job.trial.configuration, job.plan.then,
                              setup_.facts, setup_.source_text);
  if (!made) {
    fail(std::move(job), TrialState::kCompile, made.error());
    return false;
  }
  request = std::move(*made);
  return true;
}

void PoolEvaluator::submit(ConfigIndex index) {
  Job job;
  job.submitted = Clock::now();
  job.trial.index = index;
  job.trial.configuration = setup_.space->configuration(index);
  if (setup_.recall) {
    if (auto stored = setup_.recall(job.trial.configuration)) {
      stored->index = index;
      note_best(*stored);
      finished_.push_back(std::move(*stored));
      return;
    }
  }
  CompileRequest request;
  if (!resolve(job, request)) return;
  start_preparing();
  job.key = setup_.library.key(request);
  const auto known = known_.find(job.key);
  if (known != known_.end()) {
    const auto artifact = known->second;
    return compiled(std::move(job), *artifact, true);
  }
  if (!compilers_.is_under_way(job.key)) {
    if (auto cached = setup_.library.find(job.key)) {
      const auto artifact = std::make_shared<const Artifact>(std::move(*cached));
      remember(job.key, artifact);
      return compiled(std::move(job), *artifact, true);
    }
  }
  const std::uint64_t id = compilers_.submit(job.key, std::move(request));
  compiling_.emplace(id, std::move(job));
}

void PoolEvaluator::fail(Job job, TrialState state, std::string message) {
  job.trial.state = state;
  job.trial.message = std::move(message);
  finish(std::move(job));
}

Provenance PoolEvaluator::judge(const OpenedFiles& opened) const {
  return setup_.library.judge ? setup_.library.judge(opened) : Provenance{};
}

void PoolEvaluator::finish(Job job) {
  if (preparation_ == Preparation::kDone) add(of_reference_, job.trial);
  job.trial.cost_seconds += job.trial.compile_ms / 1000;
  finished_.push_back(std::move(job.trial));
}

void PoolEvaluator::compiled(Job job, const Artifact& artifact, bool was_there) {
  job.trial.resources = artifact.resources;
  job.trial.compile_ms = was_there ? 0 : artifact.milliseconds;
  job.trial.cache_hit = was_there;
  add(judge(artifact.opened), job.trial);
  if (auto reason = over_limits(job.plan, kernels_of(artifact), setup_.facts)) {
    return fail(std::move(job), TrialState::kConstraints, *reason);
  }
  job.plan.artifact = artifact;
  job.plan.artifact.opened.reset();  // nothing to the device
  job.program = program_of(job.plan);
  ready_.push_back(std::move(job));
}

void PoolEvaluator::take_compiled() {
  for (CompileResult& result : compilers_.handle()) {
    if (take_reference(result)) continue;
    auto asked = compiling_.extract(result.id);
    if (asked.empty()) continue;  // of another problem size, or from before an interruption
    Job& job = asked.mapped();
    if (result.outcome) {
      remember(job.key, *result.outcome);
      compiled(std::move(job), **result.outcome, result.shared);
    } else {
      add(judge(result.outcome.error().opened), job.trial);
      fail(std::move(job), TrialState::kCompile, std::move(result.outcome.error().log));
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
  if (running_ || preparation_ != Preparation::kDone || interrupt_.count() > 0) return;
  const auto due = std::find_if(ready_.begin(), ready_.end(), [now = Clock::now()](const Job& job) {
    return job.not_before <= now;
  });
  if (due == ready_.end()) return;
  if (answer_by_twin(*due)) {
    ready_.erase(due);
    return;
  }
  runner_.make_ready();  // before a configuration is announced: it is not to blame if this fails
  running_ = std::move(*due);
  ready_.erase(due);
  if (setup_.announce) setup_.announce(running_->trial.configuration);
  running_->plan.best_ms = best_ms_;
  running_->submitted = Clock::now();
  runner_.begin(next_run_++, running_->plan);
}

// Half a second and two seconds later: what was outside (memory of another program) may be gone.
bool PoolEvaluator::try_again(Job& job, const Verdict& verdict) {
  if (!verdict.excusable || job.chances == kSecondChances || interrupt_.count() > 0) return false;
  job.not_before = Clock::now() + std::chrono::milliseconds(job.chances == 0 ? 500 : 2000);
  ++job.chances;
  if (setup_.withdraw) setup_.withdraw(job.trial.configuration);
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
  job.trial.state = verdict.state;
  job.trial.timing = std::move(verdict.timing);
  job.trial.message = std::move(verdict.message);
  job.trial.max_error = verdict.max_error;
  job.trial.watts = verdict.watts;
  if (verdict.drift > 0) {
    drift_ = {std::min(drift_.first, verdict.drift), std::max(drift_.second, verdict.drift)};
  }
  if (verdict.resources.registers >= 0) {
    const std::int64_t spills = job.trial.resources.spill_bytes;
    job.trial.resources = verdict.resources;
    if (job.trial.resources.spill_bytes < 0) job.trial.resources.spill_bytes = spills;
  }
  job.trial.occupancy = occupancy(setup_.facts, job.trial.resources, job.trial.geometry);
  job.trial.cost_seconds = seconds_since(job.submitted);
  score(job.trial);
  note_best(job.trial);
  if (!verdict.excusable) twins_.add(job.program, job.trial);
  finish(std::move(job));
}

void PoolEvaluator::score(Trial& trial) const {
  tuner::score(*setup_.study, setup_.space->bindings(trial.configuration), trial);
}

// Small artifacts by the thousand would fill the memory; the disk cache still has them.
void PoolEvaluator::remember(const std::string& key, std::shared_ptr<const Artifact> artifact) {
  if (known_.contains(key)) return;  // of several that shared a compilation, the first
  known_bytes_ += artifact->image.size();
  if (known_bytes_ > kKnownBytes) {
    known_.clear();
    known_bytes_ = artifact->image.size();
  }
  known_.emplace(key, std::move(artifact));
}

void PoolEvaluator::wait() {
  std::vector<pollfd> fds;
  fds.push_back({interrupt_.fd(), POLLIN, 0});
  if (interrupt_.count() > 0) fds.clear();  // readable for ever from now on
  compilers_.watch(fds);
  runner_.watch(fds);
  TimePoint deadline = std::min(compilers_.deadline(), runner_.deadline());
  if (!running_ && preparation_ == Preparation::kDone) {
    for (const Job& job : ready_) deadline = std::min(deadline, job.not_before);
  }
  long long ms = 1000;
  if (deadline != TimePoint::max()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    ms = std::clamp<long long>(left + 1, 0, ms);
  }
  ::poll(fds.data(), fds.size(), static_cast<int>(ms));
}

std::optional<Trial> PoolEvaluator::next() {
  for (;;) {
    take_prepared();
    take_verdict();
    take_compiled();
    start_next();
    if (!finished_.empty()) {
      Trial trial = std::move(finished_.front());
      finished_.pop_front();
      return trial;
    }
    if (interrupt_.count() > 1) {
      runner_.abort();
      return std::nullopt;
    }
    if (interrupt_.count() > 0) compilers_.cancel_waiting();
    const bool idle = compiling_.empty() && ready_.empty() && !preparing();
    if (!running_ && (interrupt_.count() > 0 || idle)) return std::nullopt;
    wait();
  }
}

}  // namespace tuner
