// Particle swarm optimisation (Kennedy and Eberhart 1995) on the positions of values.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

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
  Walk walk(Guide& guide) override;
  struct Particle;
  Index move(Particle& particle, const Member& best, Rng& rng) const;

  std::size_t particles_ = option<std::size_t>("particles");
  double inertia_ = option<double>("inertia");
  double own_ = option<double>("own");
  double social_ = option<double>("social");
  bool sensible_ = sensible_start_option(options());
};

struct ParticleSwarm::Particle {
  Member at;
  Member best;
  std::vector<double> speed;
};

// Unordered parameters jump to one of the two goals with the chance that the pulls give them.
Index ParticleSwarm::move(Particle& particle, const Member& best, Rng& rng) const {
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

Walk ParticleSwarm::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.first(particles_, sensible_);
  const std::vector<double> first_values = co_await guide.measure_all(first);
  std::vector<Particle> swarm;
  Member best;
  for (const Member& member : make_population(moves().space(), first, first_values)) {
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
    const std::vector<double> values = co_await guide.measure_all(next);
    for (std::size_t i = 0; i < swarm.size(); ++i) {
      swarm[i].at = {next[i], moves().space().positions(next[i]), values[i]};
      if (values[i] < swarm[i].best.value) swarm[i].best = swarm[i].at;
      if (values[i] < best.value) best = swarm[i].at;
    }
  }
}

}  // namespace

extern constexpr Registration kParticleSwarm = registration_of<ParticleSwarm>();

}  // namespace tuner::strategies
