#pragma once
// Runs a strategy of the plugin as the program does.

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tuner/plugin/adapters.h"
#include "tuner/plugins/strategies/parts/common.h"

extern "C" const tuner_plugin tuner_plugin_v2;

namespace tuner::strategies {

inline const tuner_strategy_factory& factory() {
  return *static_cast<const tuner_strategy_factory*>(
      tuner_plugin_v2.get_factory(TUNER_KIND_STRATEGY));
}

inline std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < factory().count; ++i) names.emplace_back(factory().info(i)->name);
  return names;
}

class Driver {
 public:
  struct Setup {
    std::uint64_t seed = 1;
    std::uint32_t objectives = 1;
    std::uint64_t budget_evaluations = 0;
    std::vector<std::pair<std::string, std::string>> options = {};
  };

  // Throws std::invalid_argument with the plugin's message.
  Driver(const std::string& name, const tuner_space& space, const Setup& how) {
    OptionList options;
    for (const auto& [key, value] : how.options) options.push_back({key, value, {}});
    Budget budget;
    if (how.budget_evaluations > 0) budget.evaluations = how.budget_evaluations;
    PluginItem item{name, "", {}, "", "", &factory(), number_of(name)};
    auto made = make_plugin_strategy(item, space, how.seed, budget, options, how.objectives);
    if (!made) throw std::invalid_argument(made.error());
    strategy_ = std::move(*made);
  }

  std::vector<Index> ask(std::size_t count) { return strategy_->ask(count); }

  // No objectives: it failed.
  void tell(Index index, const std::vector<double>& objectives) {
    strategy_->tell({index,
                     state_number(objectives.empty() ? TrialState::kRuntime : TrialState::kOk),
                     objectives, compile_seconds + device_seconds, compile_seconds});
  }

  // So many compile workers, of whose questions these are being compiled.
  void notice(std::uint32_t workers, const std::vector<Index>& compiling,
              std::uint32_t devices = 1) {
    MachineState machine{.compile_workers = workers, .devices = devices};
    for (const Index index : compiling) machine.under_way.push_back({index, TUNER_STAGE_COMPILING});
    strategy_->notice(machine);
  }

  std::vector<Index> order(const std::vector<Index>& compiled) {
    return strategy_->order(compiled);
  }

  double compile_seconds = 0;  // of each answer
  double device_seconds = 1;

  void learn(const std::vector<PriorResult>& results, double likeness) {
    strategy_->learn({likeness, results});
  }

 private:
  static std::uint32_t number_of(const std::string& name) {
    const auto names = all_names();
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    throw std::invalid_argument("no strategy " + name);
  }

  std::unique_ptr<tuner::Strategy> strategy_;
};

using Objective = std::function<std::vector<double>(Index)>;

struct PlayOptions {
  std::size_t batch = 1;  // questions open at the same time
  std::size_t limit = static_cast<std::size_t>(-1);
  bool shuffled = false;  // answers in random order
};

// Asks and answers until the strategy has no question left or the limit is reached. Returns the
// questions in their order.
inline std::vector<Index> play(Driver& driver, const Objective& objective,
                               const PlayOptions& how = {}) {
  Rng rng(99);
  std::vector<Index> questions;
  std::vector<Index> open;
  while (questions.size() < how.limit || !open.empty()) {
    const std::size_t room = std::min(how.batch - open.size(), how.limit - questions.size());
    for (const Index index : room > 0 ? driver.ask(room) : std::vector<Index>()) {
      questions.push_back(index);
      open.push_back(index);
    }
    if (open.empty()) break;
    const auto at = static_cast<std::ptrdiff_t>(how.shuffled ? rng.below(open.size()) : 0);
    const Index answered = open[static_cast<std::size_t>(at)];
    open.erase(open.begin() + at);
    driver.tell(answered, objective(answered));
  }
  return questions;
}

}  // namespace tuner::strategies
