#include "benchmarks/strategies/plugin_strategy.h"

#include <algorithm>

#include "tuner/plugin/catalogue.h"
#include "tuner/worker/plugins.h"

namespace tuner::bench {
namespace {

// The plugins beside this program, as `tuner` finds them.
const Catalogue& catalogue() {
  static const Catalogue all = load_plugins({});
  return all;
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

std::vector<std::string> strategy_names() { return catalogue().names(PluginKind::kStrategy); }

std::unique_ptr<Strategy> make_strategy(const StrategyChoice& choice, const tuner_space& space,
                                        std::uint64_t seed, const Budget& budget) {
  return catalogue().make_strategy(choice.name, space, seed, budget, choice.options);
}

}  // namespace tuner::bench
