#pragma once
// Recorded results in place of a device: no GPU, no compiler, a simulated clock. Of one
// configuration after the other, or of several compile workers and devices.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "tuner/files/recording.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/recent_load.h"
#include "tuner/ports/strategy.h"
#include "tuner/space/search_space.h"

namespace tuner {

// The space whose valid configurations are exactly the recorded ones; index = entry. Functions as
// in SearchSpace. A recording lists its configurations but not the constraints behind them, and
// some leave out what failed. Keeps a reference to the recording.
class RecordedSpace {
 public:
  explicit RecordedSpace(const Recording& recording);

  const std::vector<Parameter>& parameters() const { return recording_->parameters; }
  ConfigIndex size() const { return recording_->entries.size(); }
  void positions(ConfigIndex index, std::span<std::uint32_t> out) const;
  std::optional<ConfigIndex> index_of(std::span<const std::uint32_t> positions) const {
    return index_.find(positions);
  }
  void neighbours(std::span<const std::uint32_t> positions, Neighbourhood kind,
                  std::vector<ConfigIndex>& out) const;

 private:
  const Recording* recording_;
  RecordingIndex index_;
  std::vector<bool> ordered_;
};

// Makes a trial of the entry at an index of RecordedSpace; one without a recorded cost has none.
Trial replayed_trial(const Recording& recording, ConfigIndex index);

// Answers for the indices of RecordedSpace, in the order of submission; each advances the clock by
// its recorded cost, failures included, as one device at the end of a pipeline does. A recording
// without any cost counts one second for each configuration.
class ReplayEvaluator : public Evaluator {
 public:
  explicit ReplayEvaluator(const Recording& recording, std::size_t capacity = 1);

  std::size_t capacity() const override { return capacity_; }
  void submit(ConfigIndex index) override { waiting_.push_back(index); }
  std::optional<Trial> next(double until) override;
  void cancel() override {
    waiting_.clear();
    free_at_ = now_;
  }
  double now() const override { return now_; }

 private:
  const Recording* recording_;
  std::size_t capacity_;
  bool has_costs_ = false;
  std::deque<ConfigIndex> waiting_;
  double now_ = 0;
  double free_at_ = 0;  // when the last one ended, and the next began
};

// Answers for the indices of RecordedSpace as a machine with so many compile workers would: a
// worker takes what was submitted first and is busy for the recorded compile time; a device that
// gets free takes what has been compiled for longest, unless it was reordered, for the recorded
// verification and benchmark time. What failed costs its compile time only.
class ParallelReplay final : public Evaluator {
 public:
  // Throws InputError when the recording holds no compile times. `recording` outlives this.
  ParallelReplay(const Recording& recording, unsigned workers, unsigned devices = 1);

  std::size_t capacity() const override;
  void submit(ConfigIndex index) override;
  std::optional<Trial> next(double until) override;
  void cancel() override;
  double now() const override { return now_; }
  std::optional<MachineState> machine() const override;
  void reorder(std::span<const ConfigIndex> order) override;

  // Shares of the time until now in which the workers and the devices were at work.
  struct Shares {
    double workers = 0;
    double device = 0;
  };
  Shares busy() const;

  // The coordinator itself is busy for so long; workers and devices go on.
  void pass(double seconds);

 private:
  struct Job {
    ConfigIndex index = 0;
    double due = 0;  // when what is done with it ends
    std::size_t number = 0;
    double asked = 0;
    double begin = 0;  // of what is done with it
  };
  struct Later {
    bool operator()(const Job& a, const Job& b) const {
      return a.due != b.due ? a.due > b.due : a.number > b.number;
    }
  };
  // A priority queue that can be looked through.
  struct Queue : std::priority_queue<Job, std::vector<Job>, Later> {
    const std::vector<Job>& jobs() const { return c; }
  };

  using FreeAt = std::priority_queue<double, std::vector<double>, std::greater<>>;

  bool step(double until);
  void start_devices(double at);
  const RecordedTrial& entry_of(const Job& job) const;
  Trial trial_of(ConfigIndex index) const;

  const Recording* recording_;
  std::size_t workers_;
  std::size_t devices_;
  FreeAt free_at_;   // of the workers
  Queue compiling_;  // or waiting for it
  std::deque<Job> compiled_;
  Queue running_;             // on a device
  std::deque<Job> finished_;  // and not reported yet
  double now_ = 0;
  std::size_t submitted_ = 0;
  double compile_seconds_ = 0;  // of all workers
  double device_seconds_ = 0;   // of all devices
  RecentLoad load_;
};

// The strategy within, whose computing passes in the clock of a replay: processor time of this
// thread, because waiting for a turn on a busy machine is not computing.
class ClockedStrategy final : public StrategyBefore {
 public:
  // `clock` receives the seconds of each call; it outlives this.
  ClockedStrategy(std::unique_ptr<Strategy> strategy, std::function<void(double)> clock)
      : StrategyBefore(std::move(strategy)), clock_(std::move(clock)) {}

  std::vector<ConfigIndex> ask(std::size_t count) override;
  void tell(const Observation& observation) override;
  void learn(const Prior& prior) override;
  void notice(const MachineState& machine) override;
  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override;

 private:
  std::function<void(double)> clock_;
};

}  // namespace tuner
