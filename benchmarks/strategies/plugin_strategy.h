#pragma once
// Strategies of the linked-in plugin, by the text that names them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/plugin/abi.h"
#include "tuner/ports/strategy.h"

namespace tuner::bench {

struct StrategyChoice {
  std::string label;
  std::string name;
  OptionList options;
};

// "genetic:population=30,mutation=0.1"
StrategyChoice parse_choice(const std::string& text);

std::vector<std::string> strategy_names();

// What `space` refers to must outlive it. Throws InputError with what the plugin said.
std::unique_ptr<Strategy> make_strategy(const StrategyChoice& choice, const tuner_space& space,
                                        std::uint64_t seed, const Budget& budget);

}  // namespace tuner::bench
