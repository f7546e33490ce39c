#include "tuner/plugins/strategies/candidates.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace tuner::strategies {

std::vector<Index> CandidateSource::gather(const History& history, std::size_t count) {
  constexpr std::size_t kBest = 5;
  std::vector<Index> out;
  std::unordered_set<Index, IndexHash> taken;
  const auto add = [&](Index index) {
    if (!history.seen(index) && taken.insert(index).second) out.push_back(index);
  };
  if (space_.size() <= count) {
    for (Index index = 0; index < space_.size(); ++index) add(index);
    return out;
  }
  for (const std::size_t entry : best_entries(history, kBest)) {
    for (const Index index : space_.neighbours(history.entries()[entry].index)) {
      if (out.size() < count / 2) add(index);
    }
  }
  for (std::size_t tried = 0; out.size() < count && tried < 2 * count; ++tried) {
    add(samples_.at(next_));
    next_ = next_ + 1 == space_.size() ? 0 : next_ + 1;
  }
  return out;
}

std::vector<std::size_t> best_and_random(const std::vector<double>& values, std::size_t count,
                                         Rng& rng) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= count) return order;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<std::size_t> rest(order.begin() + static_cast<std::ptrdiff_t>(count / 2),
                                order.end());
  order.resize(count / 2);
  rng.shuffle(rest);
  rest.resize(count - order.size());
  order.insert(order.end(), rest.begin(), rest.end());
  std::ranges::sort(order);
  return order;
}

std::vector<std::size_t> best_entries(const History& history, std::size_t count) {
  const auto& entries = history.entries();
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) {
        return entries[a].value != entries[b].value ? entries[a].value < entries[b].value : a < b;
      });
  order.resize(count);
  return order;
}

}  // namespace tuner::strategies
