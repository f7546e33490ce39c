#pragma once
// Search strategies, which choose the next configurations, and what they are told.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/plugin/sdk_strategy.h"
#include "tuner/space/parameter.h"

namespace tuner {

// These are what authors of strategies see, too (plugin/sdk_strategy.h).
using Strategy = sdk::Strategy;
using Observation = sdk::Observation;
using Prior = sdk::Prior;
using PriorResult = sdk::Prior::Result;
using MachineState = sdk::Machine;
using UnderWay = sdk::Machine::UnderWay;

// Returns the number by which an observation tells a state.
constexpr std::uint32_t state_number(TrialState state) { return static_cast<std::uint32_t>(state); }

// A strategy that stands before another and forwards what it receives. Derived classes cannot
// forget to: a strategy that does not receive the machine's state leaves most of the machine idle.
class StrategyBefore : public Strategy {
 public:
  explicit StrategyBefore(std::unique_ptr<Strategy> then) : then_(std::move(then)) {}
  void learn(const Prior& prior) override { then_->learn(prior); }
  void notice(const MachineState& machine) override { then_->notice(machine); }
  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override {
    return then_->order(std::move(compiled));
  }

 protected:
  Strategy& then() { return *then_; }

 private:
  std::unique_ptr<Strategy> then_;
};

}  // namespace tuner
