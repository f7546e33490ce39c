#pragma once

#include "tuner/plugins/strategies/population.h"
#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class ParticleSwarm : public Walkers {
 public:
  static constexpr const char* kName = "particle_swarm";
  static constexpr const char* kSummary = "particles drawn to their own best and the best of all";
  static constexpr tuner_option_info kOptions[] = {
      {"particles", "20", "how many (2 to 10000)"},
      {"inertia", "0.5", "share of the speed that is kept (0 to 1)"},
      {"own", "2.0", "pull of the own best (0 to 4)"},
      {"social", "1.0", "pull of the best of all (0 to 4)"},
      kStartOption};

  explicit ParticleSwarm(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  struct Particle;
  Index move(Particle& particle, const Member& best, Rng& rng) const;

  std::size_t particles_;
  double inertia_;
  double own_;
  double social_;
  bool sensible_;
};

}  // namespace tuner::strategies
