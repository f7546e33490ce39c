// A genetic algorithm (Holland 1975) with tournament selection, crossover, mutation and an elite.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class Genetic : public Walkers {
 public:
  static constexpr const char* kName = "genetic";
  static constexpr const char* kSummary = "generations of crossover and mutation, the best survive";
  static constexpr tuner_option_info kOptions[] = {
      {"population", "10", "configurations in a generation (2 to 10000)", "integer 2..10000"},
      {"mutation", "0.1", "chance that a parameter changes (0 to 1)", "number 0..1"},
      {"crossover", "uniform", "uniform, one_point or two_point",
       "one of uniform, one_point, two_point"},
      {"elite", "2", "best ones that enter the next generation unchanged (0 to population)",
       "integer 0..10000"},
      kStartOption};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;
  Positions cross(const Positions& a, const Positions& b, Rng& rng) const;

  std::size_t population_ = option<std::size_t>("population");
  double mutation_ = option<double>("mutation");
  std::string crossover_ = option<std::string>("crossover");
  std::size_t elite_ = static_cast<std::size_t>(
      options().integer("elite", 0, static_cast<std::int64_t>(population_)));
  bool sensible_ = sensible_start_option(options());
};

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

}  // namespace

extern constexpr Registration kGenetic = registration_of<Genetic>();

}  // namespace tuner::strategies
