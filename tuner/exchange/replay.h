#pragma once
// Recorded results in place of a device: no GPU, no compiler, a simulated clock.

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "tuner/exchange/recording.h"
#include "tuner/ports/evaluator.h"
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

// What is recorded for an index of RecordedSpace, as a trial; one without costs has none.
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

}  // namespace tuner
