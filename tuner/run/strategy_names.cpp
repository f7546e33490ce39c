// Kernel Tuner's names, where the algorithm is the same.

#include "tuner/run/strategy_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tuner {

std::string strategy_named(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTheirs{{
      {"brute_force", "exhaustive"},
      {"random_sample", "random"},
      {"genetic_algorithm", "genetic"},
      {"diff_evo", "differential_evolution"},
      {"pso", "particle_swarm"},
      {"firefly_algorithm", "firefly"},
      {"greedy_ils", "iterated_local_search"},
      {"mls", "iterated_local_search"},
      {"greedy_mls", "iterated_local_search"},
      {"basinhopping", "basin_hopping"},
      {"bayes_opt", "bayesian"},
  }};
  const auto* const found =
      std::ranges::find(kTheirs, name, [](const auto& one) { return one.first; });
  return found == kTheirs.end() ? name : std::string(found->second);
}

}  // namespace tuner
