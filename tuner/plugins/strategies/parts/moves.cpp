// Steps through a space (moves.h).

#include "tuner/plugins/strategies/parts/moves.h"

#include <algorithm>

namespace tuner::strategies {

Moves::Moves(Space space) : space_(space) {
  for (std::uint32_t p = 0; p < space.parameter_count(); ++p) {
    if (space.value_count(p) > 1) free_.push_back(p);
  }
}

Index Moves::repair(Positions wanted, Index home, Rng& rng) const {
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

std::optional<Index> Moves::random_neighbour(Index index, tuner_neighbourhood kind,
                                             Rng& rng) const {
  const std::vector<Index> all = space_.neighbours(index, kind);
  if (all.empty()) return std::nullopt;
  return rng.pick(all);
}

Index Moves::kick(Index from, std::size_t count, Rng& rng) const {
  Positions positions = space_.positions(from);
  std::vector<std::uint32_t> chosen = free_;
  rng.shuffle(chosen);
  chosen.resize(std::min(chosen.size(), count));
  for (const std::uint32_t p : chosen) change(positions[p], p, rng);
  return repair(std::move(positions), from, rng);
}

void Moves::change(std::uint32_t& position, std::uint32_t parameter, Rng& rng) const {
  const auto other = static_cast<std::uint32_t>(rng.below(space_.value_count(parameter) - 1));
  position = other < position ? other : other + 1;
}

Positions Moves::uniform_crossover(const Positions& a, const Positions& b, Rng& rng) const {
  Positions child = a;
  for (const std::uint32_t p : free_) {
    if (rng.chance(0.5)) child[p] = b[p];
  }
  return child;
}

void Moves::mutate(Positions& positions, double chance, Rng& rng) const {
  for (const std::uint32_t p : free_) {
    if (rng.chance(chance)) change(positions[p], p, rng);
  }
}

void Moves::step(Positions& positions, std::uint32_t parameter, Rng& rng) const {
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

std::uint32_t Moves::clamp(std::uint32_t parameter, double position) const {
  const double last = space_.value_count(parameter) - 1;
  return static_cast<std::uint32_t>(std::lround(std::clamp(position, 0.0, last)));
}

tuner_neighbourhood neighbourhood_option(const sdk::Options& options) {
  const bool adjacent = options.get<std::string>("neighbourhood") == "adjacent";
  return adjacent ? TUNER_ADJACENT : TUNER_HAMMING;
}

std::size_t hamming_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t distance = 0;
  for (std::size_t p = 0; p < a.size(); ++p) distance += a[p] != b[p] ? 1 : 0;
  return distance;
}

}  // namespace tuner::strategies
