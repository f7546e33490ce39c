// The firefly algorithm (Yang 2009): each one flies to a brighter one, the nearer the faster.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class Firefly : public Walkers {
 public:
  static constexpr const char* kName = "firefly";
  static constexpr const char* kSummary =
      "fireflies that fly to brighter ones, the nearer the more";
  static constexpr tuner_option_info kOptions[] = {
      {"fireflies", "20", "how many (2 to 1000)", "integer 2..1000"},
      {"attraction", "1.0", "share of the way to a brighter one next to it (0 to 2)",
       "number 0..2"},
      {"absorption", "1.0", "how fast attraction falls with distance (0 to 100)", "number 0..100"},
      {"random", "0.2", "random part of a move, as a share of the values (0 to 1)", "number 0..1"},
      kStartOption};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;
  Index fly(const Member& from, const Member& to, Rng& rng) const;

  std::size_t fireflies_ = option<std::size_t>("fireflies");
  double attraction_ = option<double>("attraction");
  double absorption_ = option<double>("absorption");
  double random_ = option<double>("random");
  bool sensible_ = sensible_start_option(options());
};

Index Firefly::fly(const Member& from, const Member& to, Rng& rng) const {
  const double distance =
      static_cast<double>(hamming_distance(from.positions, to.positions)) /
      static_cast<double>(std::max<std::size_t>(moves().free_parameters().size(), 1));
  const double pull = attraction_ * std::exp(-absorption_ * distance * distance);
  Positions next = from.positions;
  for (const std::uint32_t p : moves().free_parameters()) {
    if (moves().space().ordered(p)) {
      const double way = static_cast<double>(to.positions[p]) - next[p];
      const double noise = random_ * rng.normal() * moves().space().value_count(p);
      next[p] = moves().clamp(p, next[p] + pull * rng.uniform(0.5, 1) * way + noise);
    } else if (rng.chance(pull * 0.75)) {
      next[p] = to.positions[p];
    } else if (rng.chance(random_)) {
      moves().step(next, p, rng);
    }
  }
  return moves().repair(std::move(next), from.index, rng);
}

// Each firefly flies to a random brighter one; the brightest wanders.
Walk Firefly::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.first(fireflies_, sensible_);
  const std::vector<double> first_values = co_await guide.measure_all(first);
  Population swarm = make_population(moves().space(), first, first_values);
  while (swarm.size() > 1) {
    std::ranges::stable_sort(swarm, {}, &Member::value);
    std::vector<Index> next;
    for (std::size_t i = 0; i < swarm.size(); ++i) {
      next.push_back(fly(swarm[i], swarm[i == 0 ? 0 : rng.below(i)], rng));
    }
    const std::vector<double> values = co_await guide.measure_all(next);
    const Population moved = make_population(moves().space(), next, values);
    for (std::size_t i = 0; i < swarm.size(); ++i) {
      if (i > 0 || moved[i].value < swarm[i].value) swarm[i] = moved[i];
    }
  }
}

}  // namespace

extern constexpr Registration kFirefly = registration_of<Firefly>();

}  // namespace tuner::strategies
