#pragma once
// Steps through a space: neighbours, crossovers, and the way back to a valid configuration.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {

class Moves {
 public:
  explicit Moves(Space space) : space_(space) {
    for (std::uint32_t p = 0; p < space.parameter_count(); ++p) {
      if (space.value_count(p) > 1) free_.push_back(p);
    }
  }

  const Space& space() const { return space_; }
  // Parameters with more than one value; the others never change.
  const std::vector<std::uint32_t>& free_parameters() const { return free_; }

  // The nearest valid configuration that is quickly found: `wanted` itself, one with one parameter
  // changed, or one on the way from `wanted` back to the valid configuration `home`.
  Index repair(Positions wanted, Index home, Rng& rng) const {
    if (const auto index = space_.index_of(wanted)) return *index;
    std::vector<Index> near;
    space_.neighbours(wanted, TUNER_ADJACENT, near);
    if (near.empty()) space_.neighbours(wanted, TUNER_HAMMING, near);
    if (!near.empty()) return rng.pick(near);

    const Positions back = space_.positions(home);
    std::vector<std::uint32_t> different;
    for (const std::uint32_t p : free_) {
      if (wanted[p] != back[p]) different.push_back(p);
    }
    rng.shuffle(different);
    for (const std::uint32_t p : different) {
      wanted[p] = back[p];
      if (const auto index = space_.index_of(wanted)) return *index;
    }
    return home;
  }

  // A random valid neighbour; empty when there is none.
  std::optional<Index> random_neighbour(Index index, tuner_neighbourhood kind, Rng& rng) const {
    const std::vector<Index> all = space_.neighbours(index, kind);
    if (all.empty()) return std::nullopt;
    return rng.pick(all);
  }

  // `count` random parameters of `from` get other values; repaired.
  Index kick(Index from, std::size_t count, Rng& rng) const {
    Positions positions = space_.positions(from);
    std::vector<std::uint32_t> chosen = free_;
    rng.shuffle(chosen);
    chosen.resize(std::min(chosen.size(), count));
    for (const std::uint32_t p : chosen) change(positions[p], p, rng);
    return repair(std::move(positions), from, rng);
  }

  // Each parameter from either parent with equal chance; not repaired.
  Positions uniform_crossover(const Positions& a, const Positions& b, Rng& rng) const {
    Positions child = a;
    for (const std::uint32_t p : free_) {
      if (rng.chance(0.5)) child[p] = b[p];
    }
    return child;
  }

  // Gives each free parameter, with this chance, another value; not repaired.
  void mutate(Positions& positions, double chance, Rng& rng) const {
    for (const std::uint32_t p : free_) {
      if (rng.chance(chance)) change(positions[p], p, rng);
    }
  }

  // A step that keeps the order of values in mind: -1 or +1 where the parameter is ordered, any
  // other value where not.
  void step(Positions& positions, std::uint32_t parameter, Rng& rng) const {
    const std::uint32_t count = space_.value_count(parameter);
    std::uint32_t& at = positions[parameter];
    if (!space_.ordered(parameter)) {
      change(at, parameter, rng);
    } else if (at == 0 || (at + 1 < count && rng.chance(0.5))) {
      ++at;
    } else {
      --at;
    }
  }

  // The position nearest to a real number, kept within the parameter's range.
  std::uint32_t clamp(std::uint32_t parameter, double position) const {
    const double last = space_.value_count(parameter) - 1;
    return static_cast<std::uint32_t>(std::lround(std::clamp(position, 0.0, last)));
  }

 private:
  // Another value of the parameter, all with equal chance.
  void change(std::uint32_t& position, std::uint32_t parameter, Rng& rng) const {
    const auto other = static_cast<std::uint32_t>(rng.below(space_.value_count(parameter) - 1));
    position = other < position ? other : other + 1;
  }

  Space space_;
  std::vector<std::uint32_t> free_;
};

// The option "neighbourhood": adjacent or hamming.
inline tuner_neighbourhood neighbourhood_option(const sdk::Options& options) {
  const bool adjacent = options.get<std::string>("neighbourhood") == "adjacent";
  return adjacent ? TUNER_ADJACENT : TUNER_HAMMING;
}

// How many parameters differ.
inline std::size_t hamming_distance(std::span<const std::uint32_t> a,
                                    std::span<const std::uint32_t> b) {
  std::size_t distance = 0;
  for (std::size_t p = 0; p < a.size(); ++p) distance += a[p] != b[p] ? 1 : 0;
  return distance;
}

}  // namespace tuner::strategies
