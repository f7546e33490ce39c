#pragma once

#include "tuner/plugins/strategies/population.h"
#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class Firefly : public Walkers {
 public:
  static constexpr const char* kName = "firefly";
  static constexpr const char* kSummary =
      "fireflies that fly to brighter ones, the nearer the more";
  static constexpr tuner_option_info kOptions[] = {
      {"fireflies", "20", "how many (2 to 1000)"},
      {"attraction", "1.0", "share of the way to a brighter one next to it (0 to 2)"},
      {"absorption", "1.0", "how fast attraction falls with distance (0 to 100)"},
      {"random", "0.2", "random part of a move, as a share of the values (0 to 1)"},
      kStartOption};

  explicit Firefly(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  Index fly(const Member& from, const Member& to, Rng& rng) const;

  std::size_t fireflies_;
  double attraction_;
  double absorption_;
  double random_;
  bool sensible_;
};

}  // namespace tuner::strategies
