#include "tuner/plugins/strategies/genetic.h"

#include <algorithm>

namespace tuner::strategies {

Genetic::Genetic(const StrategySetup& setup)
    : Walkers(setup),
      population_(static_cast<std::size_t>(setup.options.integer("population", 2, 10000))),
      mutation_(setup.options.number("mutation", 0, 1)),
      crossover_(setup.options.choice("crossover", {"uniform", "one_point", "two_point"})),
      elite_(static_cast<std::size_t>(
          setup.options.integer("elite", 0, static_cast<std::int64_t>(population_)))),
      sensible_(sensible_start_option(setup)) {}

Positions Genetic::cross(const Positions& a, const Positions& b, Rng& rng) const {
  if (crossover_ == "uniform") return moves().uniform_crossover(a, b, rng);
  std::size_t from = rng.below(a.size() + 1);
  std::size_t to = crossover_ == "two_point" ? rng.below(a.size() + 1) : a.size();
  if (from > to) std::swap(from, to);
  Positions child = a;
  for (std::size_t p = from; p < to; ++p) child[p] = b[p];
  return child;
}

Walk Genetic::walk(Guide& guide) {
  Rng& rng = guide.rng();
  std::vector<Index> first = guide.first(population_, sensible_);
  const std::vector<double> first_values = co_await guide.measure_all(first);
  Population members = make_population(moves().space(), first, first_values);
  while (members.size() > 1) {
    std::ranges::stable_sort(members, {}, &Member::value);
    std::vector<Index> children;
    while (children.size() + elite_ < population_) {
      const Member& a = tournament(members, rng);
      const Member& b = tournament(members, rng);
      Positions child = cross(a.positions, b.positions, rng);
      moves().mutate(child, mutation_, rng);
      children.push_back(moves().repair(std::move(child), a.index, rng));
    }
    if (children.empty()) co_return;  // all are elite: nothing would change any more
    const std::vector<double> values = co_await guide.measure_all(children);
    members.resize(std::min(elite_, members.size()));
    for (Member& child : make_population(moves().space(), children, values)) {
      members.push_back(std::move(child));
    }
  }
}

}  // namespace tuner::strategies
