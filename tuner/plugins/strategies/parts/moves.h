#pragma once
// Steps through a space: neighbours, crossovers, and the way back to a valid configuration.

#include <optional>
#include <span>
#include <vector>

#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {

class Moves {
 public:
  explicit Moves(Space space);

  const Space& space() const { return space_; }
  // Parameters with more than one value; the others never change.
  const std::vector<std::uint32_t>& free_parameters() const { return free_; }

  // The nearest valid configuration that is quickly found: `wanted` itself, one with one parameter
  // changed, or one on the way from `wanted` back to the valid configuration `home`.
  Index repair(Positions wanted, Index home, Rng& rng) const;

  // A random valid neighbour; empty when there is none.
  std::optional<Index> random_neighbour(Index index, tuner_neighbourhood kind, Rng& rng) const;

  // `count` random parameters of `from` get other values; repaired.
  Index kick(Index from, std::size_t count, Rng& rng) const;

  // Each parameter from either parent with equal chance; not repaired.
  Positions uniform_crossover(const Positions& a, const Positions& b, Rng& rng) const;

  // Gives each free parameter, with this chance, another value; not repaired.
  void mutate(Positions& positions, double chance, Rng& rng) const;

  // A step that keeps the order of values in mind: -1 or +1 where the parameter is ordered, any
  // other value where not.
  void step(Positions& positions, std::uint32_t parameter, Rng& rng) const;

  // The position nearest to a real number, kept within the parameter's range.
  std::uint32_t clamp(std::uint32_t parameter, double position) const;

 private:
  // Another value of the parameter, all with equal chance.
  void change(std::uint32_t& position, std::uint32_t parameter, Rng& rng) const;

  Space space_;
  std::vector<std::uint32_t> free_;
};

// The option "neighbourhood": adjacent or hamming.
tuner_neighbourhood neighbourhood_option(const sdk::Options& options);

// How many parameters differ.
std::size_t hamming_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace tuner::strategies
