// Finds the nearest valid configurations: by looking at all, or in a large space by descending.

#include "tuner/space/nearest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace tuner {
namespace {

constexpr ConfigIndex kMostLookedAt = ConfigIndex{1} << 18;
constexpr ConfigIndex kStarts = 4096;  // of a descent
constexpr double kEqual = 1e-9;

// Distances of the values of one parameter from the one that is wished for.
std::vector<double> distances(const Parameter& parameter, const std::optional<Value>& wish) {
  const std::vector<Value>& values = parameter.values;
  std::vector<double> out(values.size(), 0);
  if (!wish) return out;
  const double wanted = to_number(*wish);
  const bool has_order = parameter.ordered() && !std::isnan(wanted);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (same_value(values[i], *wish)) continue;
    const double own = to_number(values[i]);
    if (!has_order) {
      out[i] = 1;
    } else if (own > 0 && wanted > 0) {
      out[i] = std::abs(std::log2(own / wanted));
    } else {
      out[i] = 1 + static_cast<double>(std::ranges::count_if(values, [&](const Value& other) {
                 const double between = to_number(other);
                 return std::min(own, wanted) < between && between < std::max(own, wanted);
               }));
    }
  }
  return out;
}

class Distance {
 public:
  Distance(const SearchSpace& space, const WishedValues& wishes) {
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      by_value_.push_back(distances(space.parameters()[p], wishes.at(p)));
    }
  }

  double operator()(std::span<const std::uint32_t> positions) const {
    double sum = 0;
    for (std::size_t p = 0; p < by_value_.size(); ++p) sum += by_value_[p][positions[p]];
    return sum;
  }

  // The wished values, valid together or not.
  std::vector<std::uint32_t> wished() const {
    std::vector<std::uint32_t> out;
    for (const auto& one : by_value_) {
      out.push_back(static_cast<std::uint32_t>(std::ranges::min_element(one) - one.begin()));
    }
    return out;
  }

 private:
  std::vector<std::vector<double>> by_value_;
};

std::vector<ConfigIndex> by_looking_at_all(const SearchSpace& space, const Distance& distance,
                                           std::size_t most) {
  double least = std::numeric_limits<double>::infinity();
  std::size_t equals = 0;
  for (SpaceCursor at(space); at.valid(); at.next()) {
    const double own = distance(at.positions());
    if (own < least - kEqual) equals = 0;
    least = std::min(least, own);
    if (own <= least + kEqual) ++equals;
  }
  std::vector<ConfigIndex> out;
  std::size_t seen = 0;
  ConfigIndex index = 0;
  const std::size_t wanted = std::min(most, equals);
  for (SpaceCursor at(space); at.valid() && out.size() < wanted; at.next(), ++index) {
    if (distance(at.positions()) > least + kEqual) continue;
    if (seen++ == out.size() * equals / wanted) out.push_back(index);
  }
  return out;
}

class Descent {
 public:
  Descent(const SearchSpace& space, const Distance& distance)
      : space_(space), distance_(distance) {}

  ConfigIndex end() {
    look_around(distance_.wished());
    for (ConfigIndex i = 0; i < kStarts; ++i) look_at(space_.size() / kStarts * i);
    while (better_) {
      better_ = false;
      look_around(std::vector(positions_));
    }
    return best_;
  }

 private:
  void look_around(const std::vector<std::uint32_t>& positions) {
    space_.neighbours(positions, Neighbourhood::kHamming, around_);
    for (const ConfigIndex index : around_) look_at(index);
  }

  void look_at(ConfigIndex index) {
    std::vector<std::uint32_t> positions(space_.parameters().size());
    space_.positions(index, positions);
    const double own = distance_(positions);
    if (own >= least_ - kEqual) return;
    least_ = own;
    best_ = index;
    positions_ = std::move(positions);
    better_ = true;
  }

  const SearchSpace& space_;
  const Distance& distance_;
  double least_ = std::numeric_limits<double>::infinity();
  ConfigIndex best_ = 0;
  std::vector<std::uint32_t> positions_;
  std::vector<ConfigIndex> around_;
  bool better_ = false;
};

}  // namespace

std::vector<ConfigIndex> nearest_to(const SearchSpace& space, const WishedValues& wishes,
                                    std::size_t most) {
  if (space.size() == 0 || most == 0) return {};
  const Distance distance(space, wishes);
  const bool is_large = space.size() > kMostLookedAt;
  const auto exact = space.index_of(distance.wished());
  if (exact && (most == 1 || is_large)) return {*exact};
  if (is_large) return {Descent(space, distance).end()};
  return by_looking_at_all(space, distance, most);
}

}  // namespace tuner
