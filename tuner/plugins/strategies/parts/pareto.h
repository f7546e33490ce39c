#pragma once
// Comparing results by several objectives at once, as in NSGA-II. All are to be minimised.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace tuner::strategies {

using Objectives = std::vector<double>;  // empty: failed, worse than anything

// No worse in all and better in at least one.
inline bool dominates(const Objectives& a, const Objectives& b) {
  if (a.empty() || b.empty()) return !a.empty() && b.empty();
  bool better = false;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

// The number of each point's front: 0 is dominated by none, 1 only by those in 0, ...
inline std::vector<std::size_t> front_of(const std::vector<Objectives>& points) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> dominated_by(points.size(), 0);
  std::vector<std::vector<std::size_t>> below(points.size());
  std::vector<std::size_t> current;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (dominates(points[j], points[i])) ++dominated_by[i];
      if (dominates(points[i], points[j])) below[i].push_back(j);
    }
    if (dominated_by[i] == 0) current.push_back(i);
  }
  std::vector<std::size_t> fronts(points.size(), kNone);
  for (std::size_t front = 0; !current.empty(); ++front) {
    std::vector<std::size_t> next;
    for (const std::size_t i : current) {
      fronts[i] = front;
      for (const std::size_t j : below[i]) {
        if (--dominated_by[j] == 0) next.push_back(j);
      }
    }
    current = std::move(next);
  }
  return fronts;
}

// How far the neighbours of each point are within its own front; infinite at the ends.
inline std::vector<double> crowding(const std::vector<Objectives>& points,
                                    const std::vector<std::size_t>& fronts) {
  std::vector<double> distance(points.size(), 0.0);
  std::size_t objectives = 0;
  for (const Objectives& point : points) objectives = std::max(objectives, point.size());
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t o = 0; o < objectives; ++o) {
    const auto value = [&](std::size_t i) {
      return points[i].size() > o ? points[i][o] : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return fronts[a] != fronts[b] ? fronts[a] < fronts[b] : value(a) < value(b);
    });
    for (std::size_t first = 0; first < order.size();) {
      std::size_t last = first;
      while (last + 1 < order.size() && fronts[order[last + 1]] == fronts[order[first]]) ++last;
      const double range = value(order[last]) - value(order[first]);
      distance[order[first]] = distance[order[last]] = std::numeric_limits<double>::infinity();
      for (std::size_t i = first + 1; range > 0 && i < last; ++i) {
        distance[order[i]] += (value(order[i + 1]) - value(order[i - 1])) / range;
      }
      first = last + 1;
    }
  }
  return distance;
}

}  // namespace tuner::strategies
