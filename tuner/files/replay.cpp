// Answers questions from a recording and advances a simulated clock; of several workers and devices
// by an event simulation.

#include "tuner/files/replay.h"

#include <time.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/error.h"

namespace tuner {

RecordedSpace::RecordedSpace(const Recording& recording)
    : recording_(&recording), index_(recording) {
  for (const Parameter& parameter : recording.parameters) ordered_.push_back(parameter.ordered());
}

void RecordedSpace::positions(ConfigIndex index, std::span<std::uint32_t> out) const {
  std::ranges::copy(recording_->positions_of(static_cast<std::size_t>(index)), out.begin());
}

void RecordedSpace::neighbours(std::span<const std::uint32_t> positions, Neighbourhood kind,
                               std::vector<ConfigIndex>& out) const {
  out.clear();
  std::vector<std::uint32_t> changed(positions.begin(), positions.end());
  for (std::size_t p = 0; p < changed.size(); ++p) {
    const auto count = static_cast<std::uint32_t>(recording_->parameters[p].values.size());
    const bool step = kind == Neighbourhood::kAdjacent && ordered_[p];
    const std::uint32_t at = positions[p];
    const std::uint32_t first = step ? (at == 0 ? 0 : at - 1) : 0;
    const std::uint32_t last = step ? std::min(count, at + 2) : count;
    for (std::uint32_t value = first; value < last; ++value) {
      if (value == at) continue;
      changed[p] = value;
      if (const auto index = index_of(changed)) out.push_back(*index);
    }
    changed[p] = at;
  }
}

Trial replayed_trial(const Recording& recording, ConfigIndex index) {
  const auto at = static_cast<std::size_t>(index);
  const RecordedTrial& entry = recording.entries[at];
  Trial trial;
  trial.index = index;
  trial.configuration = recording.configuration(at);
  trial.state = entry.state;
  if (entry.state == TrialState::kOk) {
    trial.objective = SearchFigure(entry.objective);
    const auto samples = recording.samples_of(at);
    trial.timing.samples.assign(samples.begin(), samples.end());
  } else {
    trial.message = "recorded as failed";
  }
  if (!std::isnan(entry.cost_seconds)) trial.cost_seconds = entry.cost_seconds;
  return trial;
}

ReplayEvaluator::ReplayEvaluator(const Recording& recording, std::size_t capacity)
    : recording_(&recording), capacity_(capacity) {
  for (const RecordedTrial& entry : recording.entries) {
    has_costs_ = has_costs_ || !std::isnan(entry.cost_seconds);
  }
}

std::optional<Trial> ReplayEvaluator::next(double until) {
  if (waiting_.empty()) return std::nullopt;
  Trial trial = replayed_trial(*recording_, waiting_.front());
  if (!has_costs_) trial.cost_seconds = 1;
  const double end = free_at_ + trial.cost_seconds;
  if (end > until) {
    now_ = std::max(now_, until);
    return std::nullopt;
  }
  waiting_.pop_front();
  now_ = free_at_ = end;
  return trial;
}

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class ComputingTime {
 public:
  explicit ComputingTime(const std::function<void(double)>& clock) : clock_(clock) {}
  ~ComputingTime() { clock_(thread_seconds() - start_); }
  ComputingTime(const ComputingTime&) = delete;
  ComputingTime& operator=(const ComputingTime&) = delete;

 private:
  const std::function<void(double)>& clock_;
  double start_ = thread_seconds();
};

double known(double seconds) { return std::isnan(seconds) ? 0 : seconds; }

}  // namespace

ParallelReplay::ParallelReplay(const Recording& recording, unsigned workers, unsigned devices)
    : recording_(&recording),
      workers_(workers),
      devices_(devices),
      free_at_({}, std::vector<double>(workers, 0.0)) {
  const bool compiled = std::ranges::any_of(recording.entries, [](const RecordedTrial& entry) {
    return known(entry.compile_seconds) > 0;
  });
  if (compiled) return;
  throw InputError(
      Complaint{{recording.name, 0, 0},
                "has no compile times, which simulated compile workers need (--compile-workers)",
                ""});
}

// Every worker busy and a few jobs at hand for those that get free before the next result; of what
// is compiled, as much may wait for the devices as there are workers, beside what runs.
std::size_t ParallelReplay::capacity() const {
  const std::size_t at_hand = std::max<std::size_t>(1, workers_ / 4);
  return workers_ + at_hand + std::min(compiled_.size() + running_.size(), workers_ + devices_);
}

void ParallelReplay::submit(ConfigIndex index) {
  const RecordedTrial& entry = recording_->entries[static_cast<std::size_t>(index)];
  const double start = std::max(now_, free_at_.top());
  const double end = start + known(entry.compile_seconds);
  free_at_.pop();
  free_at_.push(end);
  compiling_.push({index, end, submitted_++, now_, start});
}

// The next end of a compilation or of a run, unless it comes after `until`.
bool ParallelReplay::step(double until) {
  const double compiled = compiling_.empty() ? kNoEnd : compiling_.top().due;
  const double ended = running_.empty() ? kNoEnd : running_.top().due;
  const double at = std::min(compiled, ended);
  if (at > until || at == kNoEnd) return false;
  if (compiled <= ended) {
    const Job job = compiling_.top();
    compiling_.pop();
    compile_seconds_ += job.due - job.begin;
    (entry_of(job).state == TrialState::kOk ? compiled_ : finished_).push_back(job);
  } else {
    const Job job = running_.top();
    running_.pop();
    device_seconds_ += job.due - job.begin;
    finished_.push_back(job);
  }
  start_devices(at);
  return true;
}

void ParallelReplay::start_devices(double at) {
  while (running_.size() < devices_ && !compiled_.empty()) {
    Job job = compiled_.front();
    compiled_.pop_front();
    job.begin = at;
    job.due = at + known(entry_of(job).device_seconds);
    running_.push(job);
  }
}

std::optional<MachineState> ParallelReplay::machine() const {
  MachineState machine;
  machine.compile_workers = workers_;
  machine.devices = devices_;
  machine.compilers_busy = load_.compilers_busy(workers_);
  machine.device_busy = load_.devices_busy(devices_);
  for (const Job& job : compiling_.jobs()) {
    const tuner_stage stage = job.begin > now_ ? TUNER_STAGE_QUEUED
                              : job.due > now_ ? TUNER_STAGE_COMPILING
                                               : TUNER_STAGE_COMPILED;
    machine.under_way.push_back({job.index, stage, now_ - job.asked, now_ - job.begin});
  }
  const auto add = [&](const Job& job, tuner_stage stage) {
    machine.under_way.push_back({job.index, stage, now_ - job.asked});
  };
  for (const Job& job : compiled_) add(job, TUNER_STAGE_COMPILED);
  for (const Job& job : running_.jobs()) add(job, TUNER_STAGE_RUNNING);
  for (const Job& job : finished_) add(job, TUNER_STAGE_RUNNING);
  return machine;
}

void ParallelReplay::reorder(std::span<const ConfigIndex> order) {
  put_in_order(compiled_, order, [](const Job& job) { return job.index; });
}

void ParallelReplay::pass(double seconds) {
  now_ += seconds;
  while (step(now_)) {
  }
}

std::optional<Trial> ParallelReplay::next(double until) {
  while (finished_.empty() && step(until)) {
  }
  if (finished_.empty()) {
    if (!running_.empty() || !compiling_.empty()) now_ = std::max(now_, until);
    return std::nullopt;
  }
  const Job job = finished_.front();
  finished_.pop_front();
  now_ = std::max(now_, job.due);
  load_.result(now_, compile_seconds_, device_seconds_);
  return trial_of(job.index);
}

ParallelReplay::Shares ParallelReplay::busy() const {
  if (now_ <= 0) return {};
  const auto until_now = [this](const Job& job) {
    return std::max(0.0, std::min(now_, job.due) - job.begin);
  };
  double compile = compile_seconds_;
  for (const Job& job : compiling_.jobs()) compile += until_now(job);
  double device = device_seconds_;
  for (const Job& job : running_.jobs()) device += until_now(job);
  return {compile / (now_ * static_cast<double>(workers_)),
          device / (now_ * static_cast<double>(devices_))};
}

// Cancels compilations and what waits for a device; what runs goes on.
void ParallelReplay::cancel() {
  for (const Job& job : compiling_.jobs()) compile_seconds_ += std::max(0.0, now_ - job.begin);
  compiling_ = {};
  free_at_ = FreeAt({}, std::vector<double>(workers_, now_));
  compiled_.clear();
}

Trial ParallelReplay::trial_of(ConfigIndex index) const {
  Trial trial = replayed_trial(*recording_, index);
  const RecordedTrial& entry = recording_->entries[static_cast<std::size_t>(index)];
  trial.compile_ms = 1000 * known(entry.compile_seconds);
  trial.cost_seconds = known(entry.compile_seconds);
  if (trial.state == TrialState::kOk) trial.cost_seconds += known(entry.device_seconds);
  return trial;
}

const RecordedTrial& ParallelReplay::entry_of(const Job& job) const {
  return recording_->entries[static_cast<std::size_t>(job.index)];
}

std::vector<ConfigIndex> ClockedStrategy::ask(std::size_t count) {
  const ComputingTime watch(clock_);
  return then().ask(count);
}

void ClockedStrategy::tell(const Observation& observation) {
  const ComputingTime watch(clock_);
  then().tell(observation);
}

void ClockedStrategy::notice(const MachineState& machine) {
  const ComputingTime watch(clock_);
  StrategyBefore::notice(machine);
}

std::vector<ConfigIndex> ClockedStrategy::order(std::vector<ConfigIndex> compiled) {
  const ComputingTime watch(clock_);
  return StrategyBefore::order(std::move(compiled));
}

void ClockedStrategy::learn(const Prior& prior) {
  const ComputingTime watch(clock_);
  StrategyBefore::learn(prior);
}

}  // namespace tuner
