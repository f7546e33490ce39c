// Strategies of a population, which is measured as a whole, round by round.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/classic/walker.h"

namespace tuner::strategies {
namespace {

// A genetic algorithm (Holland 1975) with tournament selection, crossover, mutation and an elite.
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
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    Population members = co_await guide.measure_all(guide.first(population_, sensible_));
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
      const Population grown = co_await guide.measure_all(children);
      members.resize(std::min(elite_, members.size()));
      members.insert(members.end(), grown.begin(), grown.end());
    }
  }

  Positions cross(const Positions& a, const Positions& b, Rng& rng) const {
    if (crossover_ == "uniform") return moves().uniform_crossover(a, b, rng);
    std::size_t from = rng.below(a.size() + 1);
    std::size_t to = crossover_ == "two_point" ? rng.below(a.size() + 1) : a.size();
    if (from > to) std::swap(from, to);
    Positions child = a;
    for (std::size_t p = from; p < to; ++p) child[p] = b[p];
    return child;
  }

  std::size_t population_ = option<std::size_t>("population");
  double mutation_ = option<double>("mutation");
  std::string crossover_ = option<std::string>("crossover");
  std::size_t elite_ = static_cast<std::size_t>(
      options().integer("elite", 0, static_cast<std::int64_t>(population_)));
  bool sensible_ = sensible_start_option(options());
};

// Differential evolution (Storn and Price 1997) on the positions of values.
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
  Walk walk(Guide& guide) override {
    Population members = co_await guide.measure_all(guide.first(population_, sensible_));
    while (members.size() >= 4) {
      std::vector<Index> trials;
      for (std::size_t i = 0; i < members.size(); ++i) {
        trials.push_back(trial(members, i, guide.rng()));
      }
      const Population measured = co_await guide.measure_all(trials);
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (measured[i].value <= members[i].value) members[i] = measured[i];
      }
    }
  }

  // Unordered parameters have no differences: theirs are taken from one of the three at random.
  Index trial(const Population& members, std::size_t target, Rng& rng) const {
    const Member& base = from_best_ ? best_of(members) : rng.pick(members);
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

  std::size_t population_ = option<std::size_t>("population");
  double factor_ = option<double>("factor");
  double crossover_ = option<double>("crossover");
  bool from_best_ = option<std::string>("base") == "best";
  bool sensible_ = sensible_start_option(options());
};

// Particle swarm optimisation (Kennedy and Eberhart 1995) on the positions of values.
class ParticleSwarm : public Walkers {
 public:
  static constexpr const char* kName = "particle_swarm";
  static constexpr const char* kSummary = "particles drawn to their own best and the best of all";
  static constexpr tuner_option_info kOptions[] = {
      {"particles", "20", "how many (2 to 10000)", "integer 2..10000"},
      {"inertia", "0.5", "share of the speed that is kept (0 to 1)", "number 0..1"},
      {"own", "2.0", "pull of the own best (0 to 4)", "number 0..4"},
      {"social", "1.0", "pull of the best of all (0 to 4)", "number 0..4"},
      kStartOption};

  using Walkers::Walkers;

 private:
  struct Particle {
    Member at;
    Member best;
    std::vector<double> speed;
  };

  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    const Population first = co_await guide.measure_all(guide.first(particles_, sensible_));
    std::vector<Particle> swarm;
    Member best;
    for (const Member& member : first) {
      if (swarm.empty() || member.value < best.value) best = member;
      Particle particle{member, member, {}};
      for (std::uint32_t p = 0; p < moves().space().parameter_count(); ++p) {
        particle.speed.push_back(rng.uniform(-0.5, 0.5) * moves().space().value_count(p));
      }
      swarm.push_back(std::move(particle));
    }
    while (swarm.size() > 1) {
      std::vector<Index> next;
      for (Particle& particle : swarm) next.push_back(move(particle, best, rng));
      const Population moved = co_await guide.measure_all(next);
      for (std::size_t i = 0; i < swarm.size(); ++i) {
        swarm[i].at = moved[i];
        if (moved[i].value < swarm[i].best.value) swarm[i].best = moved[i];
        if (moved[i].value < best.value) best = moved[i];
      }
    }
  }

  // Unordered parameters jump to one of the two goals with the chance that the pulls give them.
  Index move(Particle& particle, const Member& best, Rng& rng) const {
    Positions to = particle.at.positions;
    for (const std::uint32_t p : moves().free_parameters()) {
      const double here = to[p];
      const double own = own_ * rng.uniform();
      const double social = social_ * rng.uniform();
      if (moves().space().ordered(p)) {
        double& speed = particle.speed[p];
        speed = inertia_ * speed + own * (particle.best.positions[p] - here) +
                social * (best.positions[p] - here);
        to[p] = moves().clamp(p, here + speed);
      } else if (rng.chance((own + social) / 4)) {
        to[p] = own > social ? particle.best.positions[p] : best.positions[p];
      }
    }
    return moves().repair(std::move(to), particle.at.index, rng);
  }

  std::size_t particles_ = option<std::size_t>("particles");
  double inertia_ = option<double>("inertia");
  double own_ = option<double>("own");
  double social_ = option<double>("social");
  bool sensible_ = sensible_start_option(options());
};

// Grey wolf optimisation (Mirjalili, Mirjalili and Lewis 2014), recombining values instead of
// averaging them.
class GreyWolf : public Walkers {
 public:
  static constexpr const char* kName = "grey_wolf";
  static constexpr const char* kSummary =
      "a pack that recombines its three best, with small steps, and restarts when it stagnates";
  static constexpr tuner_option_info kOptions[] = {
      {"pack", "8", "wolves (4 to 1000)", "integer 4..1000"},
      {"step", "0.3", "chance that a parameter takes a step; falls as the pack succeeds (0 to 1)",
       "number 0..1"},
      {"patience", "5", "rounds without a new best before half the pack is renewed (1 to 1000000)",
       "integer 1..1000000"},
      kStartOption};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override {
    constexpr int kTries = 8;
    Rng& rng = guide.rng();
    Population pack = co_await guide.measure_all(guide.first(pack_, sensible_));
    int stagnant = 0;
    while (pack.size() >= 4) {
      std::ranges::stable_sort(pack, {}, &Member::value);
      const double best = pack.front().value;
      std::vector<Index> next;
      const std::size_t renewed = stagnant >= patience_ ? pack.size() / 2 : 0;
      for (std::size_t i = 0; i + renewed < pack.size(); ++i) {
        Index child = follow(pack, pack[i], step_, rng);
        for (int t = 1; t < kTries && guide.history().seen(child); ++t) {
          child = follow(pack, pack[i], std::min(1.0, step_ * (1 + 0.5 * t)), rng);
        }
        next.push_back(child);
      }
      if (renewed > 0) stagnant = 0;
      for (const Index index : guide.fresh(renewed)) next.push_back(index);
      const Population children = co_await guide.measure_all(next);
      for (std::size_t i = 0; i < children.size(); ++i) {
        const bool is_new = i + renewed >= pack.size();
        if (is_new || children[i].value < pack[i].value) pack[i] = children[i];
      }
      stagnant = best_of(pack).value < best ? 0 : stagnant + 1;
    }
  }

  // The three best come first in the pack.
  Index follow(const Population& pack, const Member& wolf, double step, Rng& rng) const {
    Positions child = wolf.positions;
    for (const std::uint32_t p : moves().free_parameters()) {
      const std::size_t leader = rng.below(4);
      if (leader < 3) child[p] = pack[leader].positions[p];
      if (rng.chance(step)) moves().step(child, p, rng);
    }
    return moves().repair(std::move(child), wolf.index, rng);
  }

  std::size_t pack_ = option<std::size_t>("pack");
  double step_ = option<double>("step");
  int patience_ = option<int>("patience");
  bool sensible_ = sensible_start_option(options());
};

// The firefly algorithm (Yang 2009): each one flies to a brighter one, the nearer the faster.
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
  // Each firefly flies to a random brighter one; the brightest wanders.
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    Population swarm = co_await guide.measure_all(guide.first(fireflies_, sensible_));
    while (swarm.size() > 1) {
      std::ranges::stable_sort(swarm, {}, &Member::value);
      std::vector<Index> next;
      for (std::size_t i = 0; i < swarm.size(); ++i) {
        next.push_back(fly(swarm[i], swarm[i == 0 ? 0 : rng.below(i)], rng));
      }
      const Population moved = co_await guide.measure_all(next);
      for (std::size_t i = 0; i < swarm.size(); ++i) {
        if (i > 0 || moved[i].value < swarm[i].value) swarm[i] = moved[i];
      }
    }
  }

  Index fly(const Member& from, const Member& to, Rng& rng) const {
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

  std::size_t fireflies_ = option<std::size_t>("fireflies");
  double attraction_ = option<double>("attraction");
  double absorption_ = option<double>("absorption");
  double random_ = option<double>("random");
  bool sensible_ = sensible_start_option(options());
};

}  // namespace

extern constexpr Registration kGenetic = registration_of<Genetic>();
extern constexpr Registration kDifferentialEvolution = registration_of<DifferentialEvolution>();
extern constexpr Registration kParticleSwarm = registration_of<ParticleSwarm>();
extern constexpr Registration kGreyWolf = registration_of<GreyWolf>();
extern constexpr Registration kFirefly = registration_of<Firefly>();

}  // namespace tuner::strategies
