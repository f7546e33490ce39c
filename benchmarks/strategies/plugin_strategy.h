#pragma once
// A strategy of the linked-in plugin, used through its tables as the program does.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/plugin/abi.h"

namespace tuner::bench {

struct StrategyChoice {
  std::string label;
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

// "genetic:population=30,mutation=0.1"
StrategyChoice parse_choice(const std::string& text);

std::vector<std::string> strategy_names();

// Functions throw std::invalid_argument with what the plugin said.
class PluginStrategy {
 public:
  PluginStrategy(const StrategyChoice& choice, const tuner_space& space, std::uint64_t seed,
                 double budget_evaluations, double budget_seconds);
  ~PluginStrategy();
  PluginStrategy(const PluginStrategy&) = delete;
  PluginStrategy& operator=(const PluginStrategy&) = delete;

  std::vector<ConfigIndex> ask(std::size_t count);
  void tell(const Trial& trial);

 private:
  tuner_strategy table_{};
};

}  // namespace tuner::bench
