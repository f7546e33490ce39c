// Differential evolution (Storn and Price 1997) on the positions of values.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class DifferentialEvolution : public Walkers {
 public:
  static constexpr const char* kName = "differential_evolution";
  static constexpr const char* kSummary = "best/1/bin or rand/1/bin on value positions";
  static constexpr tuner_option_info kOptions[] = {
      {"population", "20", "configurations (4 to 10000)", "integer 4..10000"},
      {"factor", "0.7", "weight of the difference (0 to 2)", "number 0..2"},
      {"crossover", "0.7", "chance that a parameter comes from the mutant (0 to 1)", "number 0..1"},
      {"base", "best", "the vector that the difference is added to: best or random",
       "one of best, random"},
      kStartOption};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;
  Index trial(const Population& members, std::size_t target, Rng& rng) const;

  std::size_t population_ = option<std::size_t>("population");
  double factor_ = option<double>("factor");
  double crossover_ = option<double>("crossover");
  bool from_best_ = option<std::string>("base") == "best";
  bool sensible_ = sensible_start_option(options());
};

// Unordered parameters have no differences: theirs are taken from one of the three at random.
Index DifferentialEvolution::trial(const Population& members, std::size_t target, Rng& rng) const {
  const Member& best = *std::ranges::min_element(members, {}, &Member::value);
  const Member& base = from_best_ ? best : rng.pick(members);
  const Member& plus = rng.pick(members);
  const Member& minus = rng.pick(members);
  Positions child = members[target].positions;
  const auto& free = moves().free_parameters();
  const std::size_t sure = free.empty() ? 0 : rng.below(free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (i != sure && !rng.chance(crossover_)) continue;
    const std::uint32_t p = free[i];
    if (moves().space().ordered(p)) {
      const double difference =
          static_cast<double>(plus.positions[p]) - static_cast<double>(minus.positions[p]);
      child[p] = moves().clamp(p, base.positions[p] + factor_ * difference);
    } else {
      const Member* const donors[] = {&base, &plus, &minus};
      child[p] = donors[rng.below(3)]->positions[p];
    }
  }
  return moves().repair(std::move(child), members[target].index, rng);
}

Walk DifferentialEvolution::walk(Guide& guide) {
  const std::vector<Index> first = guide.first(population_, sensible_);
  const std::vector<double> first_values = co_await guide.measure_all(first);
  Population members = make_population(moves().space(), first, first_values);
  while (members.size() >= 4) {
    std::vector<Index> trials;
    for (std::size_t i = 0; i < members.size(); ++i) {
      trials.push_back(trial(members, i, guide.rng()));
    }
    const std::vector<double> values = co_await guide.measure_all(trials);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (values[i] > members[i].value) continue;
      members[i] = {trials[i], moves().space().positions(trials[i]), values[i]};
    }
  }
}

}  // namespace

extern constexpr Registration kDifferentialEvolution = registration_of<DifferentialEvolution>();

}  // namespace tuner::strategies
