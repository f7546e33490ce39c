#pragma once
// Runs a strategy of the plugin through its tables.

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tuner/plugin/abi.h"
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
    double budget_evaluations = 0;
    std::vector<std::pair<std::string, std::string>> options = {};
  };

  // Throws std::invalid_argument with the plugin's message.
  Driver(const std::string& name, const tuner_space& space, const Setup& how) {
    std::vector<tuner_pair> options;
    for (const auto& [key, value] : how.options) {
      options.push_back({{key.data(), key.size()}, {value.data(), value.size()}});
    }
    const tuner_strategy_setup setup{sizeof(tuner_strategy_setup),
                                     how.objectives,
                                     &space,
                                     how.seed,
                                     how.budget_evaluations,
                                     0,
                                     options.data(),
                                     options.size()};
    table_.struct_size = sizeof table_;
    std::string error;
    if (factory().create(number_of(name), &setup, &table_, sink(&error)) != 0) {
      throw std::invalid_argument(error);
    }
  }
  ~Driver() {
    if (table_.destroy != nullptr) table_.destroy(table_.self);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::vector<Index> ask(std::size_t count) {
    std::vector<tuner_index> out(count);
    std::string error;
    const auto written = table_.ask(table_.self, count, out.data(), sink(&error));
    if (written < 0) throw std::runtime_error(error);
    std::vector<Index> asked;
    for (std::int64_t i = 0; i < written; ++i) {
      asked.push_back(sdk::from_abi(out[static_cast<std::size_t>(i)]));
    }
    return asked;
  }

  // No objectives: it failed.
  void tell(Index index, const std::vector<double>& objectives) {
    const tuner_observation observation{sizeof(tuner_observation),
                                        objectives.empty() ? 4U : 0U,
                                        sdk::to_abi(index),
                                        objectives.data(),
                                        objectives.size(),
                                        compile_seconds + device_seconds,
                                        compile_seconds};
    std::string error;
    if (table_.tell(table_.self, &observation, sink(&error)) != 0) throw std::runtime_error(error);
  }

  // So many compile workers, of whose questions these are being compiled.
  void notice(std::uint32_t workers, const std::vector<Index>& compiling,
              std::uint32_t devices = 1) {
    std::vector<tuner_under_way> under_way;
    for (const Index index : compiling) {
      under_way.push_back({sdk::to_abi(index), TUNER_STAGE_COMPILING, 0, 0});
    }
    const tuner_machine machine{
        sizeof(tuner_machine), workers,          0,       0, kInfinity, kInfinity,
        under_way.data(),      under_way.size(), devices, 0};
    std::string error;
    if (table_.machine(table_.self, &machine, sink(&error)) != 0) throw std::runtime_error(error);
  }

  std::vector<Index> order(const std::vector<Index>& compiled) {
    std::vector<tuner_index> indices;
    for (const Index index : compiled) indices.push_back(sdk::to_abi(index));
    std::string error;
    if (table_.order(table_.self, indices.data(), indices.size(), sink(&error)) != 0) {
      throw std::runtime_error(error);
    }
    std::vector<Index> ordered;
    for (const tuner_index& index : indices) ordered.push_back(sdk::from_abi(index));
    return ordered;
  }

  double compile_seconds = 0;  // of each answer
  double device_seconds = 1;

  void learn(const std::vector<tuner_prior_result>& results, double likeness) {
    const tuner_prior prior{sizeof(tuner_prior), likeness, results.data(), results.size()};
    std::string error;
    if (table_.prior(table_.self, &prior, sink(&error)) != 0) throw std::runtime_error(error);
  }

 private:
  static std::uint32_t number_of(const std::string& name) {
    const auto names = all_names();
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    throw std::invalid_argument("no strategy " + name);
  }

  static tuner_sink sink(std::string* text) {
    return {text, [](void* context, const void* data, std::size_t size) {
              static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
            }};
  }

  tuner_strategy table_{};
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
