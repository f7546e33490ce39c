#include "benchmarks/strategies/plugin_strategy.h"

#include <algorithm>
#include <stdexcept>

#include "tuner/plugin/adapters.h"

extern "C" const tuner_plugin tuner_plugin_v2;

namespace tuner::bench {
namespace {

const tuner_strategy_factory& factory() {
  return *static_cast<const tuner_strategy_factory*>(
      tuner_plugin_v2.get_factory(TUNER_KIND_STRATEGY));
}

std::uint32_t item_named(const std::string& name) {
  const auto names = strategy_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::invalid_argument("no strategy '" + name + "'");
  return static_cast<std::uint32_t>(found - names.begin());
}

}  // namespace

StrategyChoice parse_choice(const std::string& text) {
  StrategyChoice choice{text, text.substr(0, text.find(':')), {}};
  for (std::size_t at = choice.name.size(); at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string item = text.substr(at + 1, end - at - 1);
    const std::size_t equals = std::min(item.find('='), item.size());
    choice.options.push_back(
        {item.substr(0, equals), item.substr(std::min(equals + 1, item.size()))});
    at = end;
  }
  return choice;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < factory().count; ++i) names.emplace_back(factory().info(i)->name);
  return names;
}

std::unique_ptr<Strategy> make_strategy(const StrategyChoice& choice, const tuner_space& space,
                                        std::uint64_t seed, const Budget& budget) {
  auto made = make_plugin_strategy(factory(), item_named(choice.name), choice.name, space, seed,
                                   budget, choice.options, 1);
  if (!made) throw std::invalid_argument(choice.label + ": " + made.error());
  return std::move(*made);
}

}  // namespace tuner::bench
