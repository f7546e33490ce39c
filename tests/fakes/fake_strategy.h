#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "tuner/ports/strategy.h"

namespace tuner {

// Proposes a script, and remembers what it was told.
class FakeStrategy : public Strategy {
 public:
  explicit FakeStrategy(std::vector<ConfigIndex> script) : script_(script.begin(), script.end()) {}

  std::vector<ConfigIndex> ask(std::size_t count) override {
    asked.push_back(count);
    if (told.size() - told_before_batch_ < wait_for_) return {};
    std::vector<ConfigIndex> out;
    while (out.size() < count && !script_.empty()) {
      out.push_back(script_.front());
      if (!repeats) script_.pop_front();
    }
    if (generation) {
      wait_for_ = out.size();
      told_before_batch_ = told.size();
    }
    return out;
  }
  void tell(const Observation& observation) override { told.push_back(observation); }

  void notice(const MachineState& machine) override { noticed.push_back(machine); }
  // The last one first.
  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override {
    ordered.push_back(compiled);
    std::ranges::reverse(compiled);
    return compiled;
  }

  bool repeats = false;     // proposes its first configuration for ever
  bool generation = false;  // asks for all answers of a batch before it proposes the next
  std::vector<std::size_t> asked;
  std::vector<Observation> told;
  std::vector<MachineState> noticed;
  std::vector<std::vector<ConfigIndex>> ordered;  // what it was to order

 private:
  std::deque<ConfigIndex> script_;
  std::size_t wait_for_ = 0;
  std::size_t told_before_batch_ = 0;
};

}  // namespace tuner
