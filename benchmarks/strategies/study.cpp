#include "benchmarks/strategies/study.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>

#include "benchmarks/strategies/plugin_strategy.h"
#include "benchmarks/strategies/space_table.h"

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

}  // namespace

Arena::Arena(Recording recording)
    : recording_(std::move(recording)), space_(recording_), scale_(recording_) {}

Run Arena::play_once(const StrategyChoice& choice, const StudySetup& setup, std::uint64_t seed,
                     double* strategy_seconds) const {
  const tuner_space table = table_of(space_);
  const double seconds =
      setup.evaluations > 0 ? std::numeric_limits<double>::infinity() : scale_.budget_seconds();
  const std::size_t limit = setup.evaluations > 0 ? setup.evaluations : recording_.entries.size();
  PluginStrategy strategy(choice, table, seed, static_cast<double>(setup.evaluations),
                          setup.evaluations > 0 ? 0 : seconds);
  ReplayEvaluator evaluator(recording_, setup.jobs);
  Run run;
  std::size_t open = 0;
  while (run.seconds.size() < limit && evaluator.now() < seconds) {
    std::vector<ConfigIndex> asked;
    if (open < setup.jobs) {
      const Stopwatch watch(strategy_seconds);
      asked = strategy.ask(setup.jobs - open);
    }
    for (const auto index : asked) evaluator.submit(index);
    open += asked.size();
    const auto trial = evaluator.next();
    if (!trial) break;
    --open;
    run.seconds.push_back(evaluator.now());
    run.objective.push_back(trial->state == TrialState::kOk
                                ? trial->objective
                                : std::numeric_limits<double>::quiet_NaN());
    const Stopwatch watch(strategy_seconds);
    strategy.tell(*trial);
  }
  return run;
}

Scored Arena::play(const StrategyChoice& choice, const StudySetup& setup) const {
  Scored result;
  result.runs.resize(setup.repeats);
  std::vector<double> seconds(setup.repeats, 0.0);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t r = next++; r < setup.repeats; r = next++) {
      result.runs[r] = play_once(choice, setup, setup.seed + r, &seconds[r]);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < setup.threads; ++t) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();

  double total = 0;
  double proposals = 0;
  for (std::size_t r = 0; r < setup.repeats; ++r) {
    total += seconds[r];
    proposals += static_cast<double>(result.runs[r].seconds.size());
  }
  result.milliseconds_per_proposal = 1000 * total / std::max(proposals, 1.0);
  result.score = scale_.score(result.runs, setup.bags, setup.seed);
  return result;
}

}  // namespace tuner::bench
