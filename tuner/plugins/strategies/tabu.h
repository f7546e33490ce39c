#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class Tabu : public Walkers {
 public:
  static constexpr const char* kName = "tabu";
  static constexpr const char* kSummary =
      "the best of a few neighbours, never one that was left lately";
  static constexpr tuner_option_info kOptions[] = {
      {"candidates", "6", "neighbours measured for each step (1 to 1000)"},
      {"tenure", "20", "steps for which a configuration stays forbidden (1 to 1000000)"},
      {"patience", "10", "steps without a new best before a new start (1 to 1000000)"},
      {"neighbourhood", "hamming", "adjacent or hamming"}};

  explicit Tabu(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  std::size_t candidates_;
  std::size_t tenure_;
  int patience_;
  tuner_neighbourhood kind_;
};

}  // namespace tuner::strategies
