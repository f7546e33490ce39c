#include "benchmarks/strategies/study.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "benchmarks/strategies/plugin_strategy.h"
#include "benchmarks/strategies/within.h"
#include "tuner/files/recording.h"
#include "tuner/files/replay.h"
#include "tuner/plugin/space_table.h"
#include "tuner/search/tuning_loop.h"

namespace tuner::bench {
namespace {

// Processor time of this thread: waiting for a turn on a busy machine is not computing.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Stopwatch {
 public:
  explicit Stopwatch(double* total) : total_(total) {}
  ~Stopwatch() { *total_ += thread_seconds() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* total_;
  double start_ = thread_seconds();
};

struct Limits {
  std::size_t evaluations = 0;
  double seconds = std::numeric_limits<double>::infinity();  // simulated
  double goal = -std::numeric_limits<double>::infinity();    // an objective so good ends the run
};

Observation observation_of(const Trial& trial) {
  Observation out{trial.index, state_number(trial.state), {}, trial.cost_seconds};
  if (trial.state == TrialState::kOk) out.objectives = {trial.objective.value()};
  return out;
}

// Asks and answers until a limit or the end of the space. Returns what was asked, with the times.
std::vector<ConfigIndex> drive(Strategy& strategy, ReplayEvaluator& evaluator, const Limits& limits,
                               double* strategy_seconds, Run* run) {
  std::vector<ConfigIndex> answered;
  std::size_t open = 0;
  while (answered.size() < limits.evaluations && evaluator.now() < limits.seconds) {
    std::vector<ConfigIndex> asked;
    if (open < evaluator.capacity()) {
      const Stopwatch watch(strategy_seconds);
      asked = strategy.ask(evaluator.capacity() - open);
    }
    for (const auto index : asked) evaluator.submit(index);
    open += asked.size();
    const auto trial = evaluator.next(kNoEnd);
    if (!trial) break;
    --open;
    answered.push_back(trial->index);
    run->seconds.push_back(evaluator.now());
    run->objective.push_back(trial->state == TrialState::kOk
                                 ? trial->objective.value()
                                 : std::numeric_limits<double>::quiet_NaN());
    if (run->objective.back() <= limits.goal) break;
    const Stopwatch watch(strategy_seconds);
    strategy.tell(observation_of(*trial));
  }
  return answered;
}

// The recording without what an earlier tuning would not have measured.
Recording tuned_part(const WarmStart& warm, std::uint64_t seed) {
  Recording part = *warm.recording;
  if (warm.evaluations == 0) return part;
  const RecordedSpace space(*warm.recording);
  Budget budget;
  budget.evaluations = warm.evaluations;
  const auto strategy = make_strategy(parse_choice("default"), space_table(space), seed, budget);
  ReplayEvaluator evaluator(*warm.recording);
  double ignored = 0;
  Run run;
  part.entries.clear();
  part.positions.clear();
  for (const auto index : drive(*strategy, evaluator, {warm.evaluations}, &ignored, &run)) {
    const auto entry = static_cast<std::size_t>(index);
    const auto at = warm.recording->positions_of(entry);
    part.entries.push_back(warm.recording->entries[entry]);
    part.positions.insert(part.positions.end(), at.begin(), at.end());
  }
  return part;
}

// Asks and answers by the clock of compile workers, as a tuning run does.
Run drive_in_parallel(std::unique_ptr<Strategy> strategy, ParallelReplay& evaluator,
                      const Limits& limits, double* strategy_seconds) {
  ClockedStrategy clocked(std::move(strategy), [&](double seconds) {
    *strategy_seconds += seconds;
    evaluator.pass(seconds);
  });
  Run run;
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial& trial) {
    run.seconds.push_back(evaluator.now());
    run.objective.push_back(trial.state == TrialState::kOk
                                ? trial.objective.value()
                                : std::numeric_limits<double>::quiet_NaN());
  };
  Budget budget;
  budget.evaluations = limits.evaluations;
  if (std::isfinite(limits.seconds)) budget.seconds = limits.seconds;
  if (std::isfinite(limits.goal)) budget.target = limits.goal;
  const ObjectiveSpec objective{"time", false, {}};
  run_loop(clocked, evaluator, objective, budget, callbacks);
  return run;
}

}  // namespace

Arena::Arena(Recording recording, unsigned compile_workers)
    : recording_(std::move(recording)), space_(recording_), scale_(recording_) {
  constexpr std::uint64_t kSeed = 7;
  if (compile_workers == 0) return;
  ParallelReplay check(recording_, compile_workers);
  parallel_scale_.emplace(recording_, compile_workers, kSeed);
}

Run Arena::play_once(const StrategyChoice& choice, const StudySetup& setup, std::uint64_t seed,
                     double* strategy_seconds) const {
  Limits limits{recording_.entries.size()};
  Budget budget;
  if (setup.within > 0) limits.goal = near_best(recording_, setup.within);
  if (setup.evaluations > 0) {
    limits.evaluations = setup.evaluations;
    budget.evaluations = setup.evaluations;
  } else if (setup.within <= 0) {
    limits.seconds = parallel_scale_ ? parallel_scale_->budget_seconds() : scale_.budget_seconds();
    budget.seconds = limits.seconds;
  }
  auto strategy = make_strategy(choice, space_table(space_), seed, budget);
  if (setup.warm.recording != nullptr) {
    constexpr double kLikeness = 1;
    const Recording earlier = tuned_part(setup.warm, seed);
    const Stopwatch watch(strategy_seconds);
    strategy->learn(prior_of(earlier, false, prior_target(space_), kLikeness));
  }
  if (setup.compile_workers > 0) {
    ParallelReplay evaluator(recording_, setup.compile_workers);
    return drive_in_parallel(std::move(strategy), evaluator, limits, strategy_seconds);
  }
  ReplayEvaluator evaluator(recording_, setup.jobs);
  Run run;
  drive(*strategy, evaluator, limits, strategy_seconds, &run);
  return run;
}

Scored Arena::play(const StrategyChoice& choice, const StudySetup& setup) const {
  constexpr std::size_t kSmallBudget = 100;
  const std::size_t repeats =
      scale_.budget_evaluations() < kSmallBudget ? setup.small_repeats : setup.repeats;
  Scored result;
  result.runs.resize(repeats);
  std::vector<double> seconds(repeats, 0.0);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t r = next++; r < repeats; r = next++) {
      result.runs[r] = play_once(choice, setup, setup.seed + r, &seconds[r]);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < setup.threads; ++t) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();

  double total = 0;
  double proposals = 0;
  for (std::size_t r = 0; r < repeats; ++r) {
    total += seconds[r];
    proposals += static_cast<double>(result.runs[r].seconds.size());
  }
  result.milliseconds_per_proposal = 1000 * total / std::max(proposals, 1.0);
  if (setup.within > 0) return result;
  if (parallel_scale_) {
    const ParallelScore parallel = parallel_scale_->score(result.runs);
    result.score = parallel.mean;
    result.least_eighth = *std::ranges::min_element(parallel.eighths);
  } else {
    result.score = scale_.score(result.runs, setup.bags, setup.seed);
  }
  return result;
}

}  // namespace tuner::bench
