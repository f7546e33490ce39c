#pragma once
// A device without processes: times come from a function, and it can be slower, get lost, or let a
// configuration fail.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/statistics.h"
#include "tuner/ports/evaluator.h"
#include "tuner/resolve/objective.h"

namespace tuner {

// What the device does, and what it was asked. A test changes it between runs.
struct DeviceScript {
  DeviceFacts facts = nominal_facts("sm_90");
  std::string compiler = "fake compiler 1";
  std::function<double(const Configuration&, const ProblemSize&)> milliseconds;
  std::function<TrialState(const Configuration&)> state = [](const Configuration&) {
    return TrialState::kOk;
  };
  std::function<TrialState(const Configuration&)> state_in_final = [](const Configuration&) {
    return TrialState::kOk;
  };
  std::optional<double> reference_ms{};  // told when a size is prepared
  double slower = 1;                     // all times are multiplied by it
  std::size_t capacity = 4;              // questions that may be open
  std::size_t lost_after = SIZE_MAX;     // measured configurations
  bool lost_in_final = false;
  bool fails_together = false;  // no final can be held
  std::function<void()> before_final = [] {};
  std::function<void()> on_measured = [] {};  // before the answer is given
  bool cut_short = false;                     // says that something is on the device at the end
  std::vector<std::string> warnings{};        // of the preparation
  std::vector<DeviceShare> shares{};          // of several devices that this one stands for
  std::function<double(const Configuration&)> milliseconds_elsewhere{};  // on a second one
  Load load{};
  std::optional<MachineState> machine{};  // that strategies hear of
  std::vector<std::string> counters{};    // that it has; all are 50

  std::vector<std::pair<ProblemSize, Configuration>> measured{};
  std::vector<std::size_t> finals{};   // how many took part in each
  std::vector<int> rounds{};           // of each final
  std::vector<std::size_t> counted{};  // how many trials, each time that counters were asked for
  double seconds = 1;                  // that each trial takes
  bool newest_first = false;           // of the questions that are open
  std::size_t cancelled = 0;           // questions
  double seconds_for_final = 0;        // that the last one was given
};

class FakeSizeEvaluator final : public SizeEvaluator {
 public:
  FakeSizeEvaluator(SizeTask task, DeviceScript& script)
      : task_(std::move(task)), script_(script), now_(task_.spent) {}

  std::size_t capacity() const override { return script_.capacity; }
  void submit(ConfigIndex index) override {
    if (task_.recall) {
      if (auto known = task_.recall(task_.space.configuration(index))) {
        known->trial.index = index;
        recalled_.emplace(known->place, std::move(known->trial));
        return;
      }
    }
    waiting_.push_back(index);
  }

  std::optional<Trial> next(double until) override {
    if (!recalled_.empty()) return recalled_.extract(recalled_.begin()).mapped();
    if (waiting_.empty()) return std::nullopt;
    if (now_ + script_.seconds - done_ > until) {
      done_ += std::max(0.0, until - now_);
      now_ = std::max(now_, until);
      return std::nullopt;
    }
    const auto next = script_.newest_first ? waiting_.end() - 1 : waiting_.begin();
    const ConfigIndex index = *next;
    waiting_.erase(next);
    const Configuration configuration = task_.space.configuration(index);
    if (script_.measured.size() >= script_.lost_after)
      throw UnavailableError("it fell off the bus");
    for (const std::string& text : std::exchange(script_.warnings, {})) task_.warn(text);
    if (task_.announce) task_.announce(configuration);
    on_device_ = configuration;
    script_.measured.emplace_back(task_.size, configuration);
    script_.on_measured();
    now_ += script_.seconds - std::exchange(done_, 0);
    return answer(index, configuration);
  }
  void cancel() override {
    script_.cancelled += waiting_.size();
    waiting_.clear();
    done_ = 0;
  }

  double now() const override { return now_; }
  std::optional<MachineState> machine() const override { return script_.machine; }

  std::vector<std::vector<double>> remeasure(std::vector<Trial>& trials,
                                             const FinalPlan& plan) override {
    const int rounds = plan.rounds;
    script_.seconds_for_final = plan.seconds;
    if (script_.lost_in_final) throw UnavailableError("it fell off the bus");
    script_.before_final();
    script_.finals.push_back(trials.size());
    script_.rounds.push_back(rounds);
    if (script_.fails_together) return {};
    if (task_.round) task_.round(rounds - 1, rounds);
    std::vector<std::vector<double>> samples(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].state = script_.state_in_final(trials[i].configuration);
      if (trials[i].state != TrialState::kOk) {
        trials[i].message = "in the final: as the script says";
        continue;
      }
      samples[i].assign(static_cast<std::size_t>(rounds), time_of(trials[i].configuration));
    }
    return samples;
  }

  std::string count(std::vector<Trial>& trials, const std::vector<std::string>& counters,
                    double) override {
    script_.counted.push_back(trials.size());
    for (Trial& trial : trials) {
      for (const std::string& name : counters) {
        if (std::ranges::find(script_.counters, name) == script_.counters.end()) continue;
        trial.counters.emplace_back(name, 50);
      }
    }
    return "";
  }

  Drift drift() const override { return {}; }
  DuplicateTally duplicates() const override { return {}; }
  std::vector<Configuration> in_flight() const override {
    if (!script_.cut_short || !on_device_) return {};
    return {*on_device_};
  }
  std::vector<DeviceShare> devices() const override { return script_.shares; }
  std::optional<Elsewhere> remeasure_elsewhere(std::vector<Trial>& trials,
                                               const FinalPlan& plan) override {
    if (!script_.milliseconds_elsewhere) return std::nullopt;
    Elsewhere out{{1}, {}};
    for (const Trial& trial : trials) {
      out.samples.emplace_back(static_cast<std::size_t>(plan.rounds),
                               script_.milliseconds_elsewhere(trial.configuration));
    }
    return out;
  }

 private:
  double time_of(const Configuration& configuration) const {
    return script_.slower * script_.milliseconds(configuration, task_.size);
  }

  Trial answer(ConfigIndex index, const Configuration& configuration) const {
    Trial trial;
    trial.index = index;
    trial.configuration = configuration;
    trial.state = script_.state(configuration);
    trial.cost_seconds = script_.seconds;
    if (!is_valid(trial)) {
      trial.message = "as the script says";
      return trial;
    }
    const double ms = time_of(configuration);
    trial.timing = summarise({ms, ms, ms, ms, ms, ms, ms}, task_.study.measure.confidence);
    score(task_.study, task_.space.bindings(configuration), trial);
    return trial;
  }

  SizeTask task_;
  DeviceScript& script_;
  std::map<std::size_t, Trial> recalled_;  // by place
  std::deque<ConfigIndex> waiting_;
  std::optional<Configuration> on_device_;
  double now_;
  double done_ = 0;  // seconds that the next one has had
};

class FakeDevice final : public MeasuringDevice {
 public:
  explicit FakeDevice(DeviceScript& script) : script_(script) {}
  const DeviceFacts& facts() override { return script_.facts; }
  const std::string& compiler() override { return script_.compiler; }
  std::unique_ptr<SizeEvaluator> evaluator(SizeTask task) override {
    if (script_.reference_ms && task.reference_timed) task.reference_timed(*script_.reference_ms);
    return std::make_unique<FakeSizeEvaluator>(std::move(task), script_);
  }
  Load load() const override { return script_.load; }

 private:
  DeviceScript& script_;
};

}  // namespace tuner
