#include "benchmarks/strategies/plugin_strategy.h"

#include <algorithm>
#include <stdexcept>

extern "C" const tuner_plugin tuner_plugin_v1;

namespace tuner::bench {
namespace {

const tuner_strategy_factory& factory() {
  return *static_cast<const tuner_strategy_factory*>(
      tuner_plugin_v1.get_factory(TUNER_KIND_STRATEGY));
}

std::uint32_t item_named(const std::string& name) {
  const auto names = strategy_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::invalid_argument("no strategy '" + name + "'");
  return static_cast<std::uint32_t>(found - names.begin());
}

tuner_str str(const std::string& text) { return {text.data(), text.size()}; }

tuner_sink sink_into(std::string* text) {
  return {text, [](void* context, const void* data, std::size_t size) {
            static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
          }};
}

}  // namespace

StrategyChoice parse_choice(const std::string& text) {
  StrategyChoice choice{text, text.substr(0, text.find(':')), {}};
  for (std::size_t at = choice.name.size(); at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string item = text.substr(at + 1, end - at - 1);
    const std::size_t equals = std::min(item.find('='), item.size());
    choice.options.emplace_back(item.substr(0, equals),
                                item.substr(std::min(equals + 1, item.size())));
    at = end;
  }
  return choice;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < factory().count; ++i) names.emplace_back(factory().info(i)->name);
  return names;
}

PluginStrategy::PluginStrategy(const StrategyChoice& choice, const tuner_space& space,
                               std::uint64_t seed, double budget_evaluations,
                               double budget_seconds) {
  std::vector<tuner_pair> options;
  for (const auto& [name, value] : choice.options) options.push_back({str(name), str(value)});
  tuner_strategy_setup setup{};
  setup.struct_size = sizeof setup;
  setup.objective_count = 1;
  setup.space = &space;
  setup.seed = seed;
  setup.budget_evaluations = budget_evaluations;
  setup.budget_seconds = budget_seconds;
  setup.options = options.data();
  setup.option_count = options.size();
  table_.struct_size = sizeof table_;
  std::string error;
  if (factory().create(item_named(choice.name), &setup, &table_, sink_into(&error)) != 0) {
    throw std::invalid_argument(choice.label + ": " + error);
  }
}

PluginStrategy::~PluginStrategy() {
  if (table_.destroy != nullptr) table_.destroy(table_.self);
}

std::vector<ConfigIndex> PluginStrategy::ask(std::size_t count) {
  std::vector<tuner_index> asked(count);
  std::string error;
  const auto written = table_.ask(table_.self, count, asked.data(), sink_into(&error));
  if (written < 0) throw std::invalid_argument(error);
  std::vector<ConfigIndex> out;
  for (std::int64_t i = 0; i < written; ++i) {
    const tuner_index index = asked[static_cast<std::size_t>(i)];
    out.push_back((ConfigIndex{index.high} << 64) | index.low);
  }
  return out;
}

void PluginStrategy::tell(const Trial& trial) {
  tuner_observation observation{};
  observation.struct_size = sizeof observation;
  observation.state = static_cast<std::uint32_t>(trial.state);
  observation.index = {static_cast<std::uint64_t>(trial.index),
                       static_cast<std::uint64_t>(trial.index >> 64)};
  observation.objectives = &trial.objective;
  observation.objective_count = trial.state == TrialState::kOk ? 1 : 0;
  observation.cost_seconds = trial.cost_seconds;
  std::string error;
  if (table_.tell(table_.self, &observation, sink_into(&error)) != 0) {
    throw std::invalid_argument(error);
  }
}

}  // namespace tuner::bench
