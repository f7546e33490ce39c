// Searches for the order of parameters that makes the fewest states.

#include <algorithm>
#include <cmath>

#include "tuner/space/group_plan.h"

namespace tuner::detail {
namespace {

constexpr std::size_t kSearched = 64;  // parameters; with more the order is found step by step
constexpr double kCheap = 20000;       // (state, value) pairs not worth a better order
constexpr double kKeptCost = 4;        // of a pair that is kept, against one looked at
constexpr std::size_t kBeam = 24;

// The order decides how much work expansion is, by orders of magnitude: with a bad one, conditions
// bind late and many states stay apart that a good one joins. The cost of an order is the estimated
// number of (state, value) pairs that it makes the expansion look at. All orders are too many, so a
// beam search keeps the best sets of parameters chosen so far, and of the orders of a set the best.
// Numbers are logarithms: products of domains overflow soon.
class OrderSearch {
 public:
  using Mask = std::uint64_t;

  explicit OrderSearch(const OrderProblem& problem) {
    for (double values : problem.values) log_values_.push_back(std::log2(values));
    for (const auto& condition : problem.conditions) {
      Mask mask = 0;
      for (std::uint32_t member : condition.members) mask |= bit(member);
      masks_.push_back(mask);
      log_passes_.push_back(std::log2(std::max(condition.passes, 1.0 / 256)));
    }
  }

  std::vector<std::uint32_t> run() {
    auto best = search(1);
    if (best.cost > kCheap) {
      auto wide = search(kBeam);
      if (wide.cost < best.cost) best = std::move(wide);
    }
    return best.order;
  }

 private:
  struct Partial {
    Mask chosen = 0;
    double cost = 0;
    double log_states = 0;
    double rank = 0;
    std::vector<std::uint32_t> order;
  };

  static Mask bit(std::uint32_t i) { return Mask{1} << i; }

  // States after choosing `chosen`: no more than there are combinations of the parameters that
  // still matter, restricted by the conditions among just these.
  double log_live(const Mask& chosen) const {
    Mask live = 0;
    for (const Mask& mask : masks_) {
      const Mask seen = mask & chosen;
      if (seen != mask) live |= seen;
    }
    double states = 0;
    for (std::uint32_t i = 0; i < log_values_.size(); ++i) {
      if ((live & bit(i)) != 0) states += log_values_[i];
    }
    for (std::size_t c = 0; c < masks_.size(); ++c) {
      if ((masks_[c] & live) == masks_[c]) states += log_passes_[c];
    }
    return std::max(0.0, states);
  }

  // Returns log2 of the share of combinations that pass the conditions which choosing `next` after
  // `chosen` decides.
  double log_decided(const Mask& chosen, const Mask& next) const {
    double passes = 0;
    for (std::size_t c = 0; c < masks_.size(); ++c) {
      const bool now = (masks_[c] & (chosen | next)) == masks_[c] && (masks_[c] & next) != 0;
      if (now) passes += log_passes_[c];
    }
    return passes;
  }

  Partial search(std::size_t width) const {
    const auto n = static_cast<std::uint32_t>(log_values_.size());
    std::vector<Partial> beam(1);
    for (std::uint32_t step = 0; step < n; ++step) {
      std::vector<Partial> next;
      for (const Partial& partial : beam) extend(partial, n, next);
      std::ranges::stable_sort(next, {}, &Partial::rank);
      beam.clear();
      for (Partial& candidate : next) {
        const bool known = std::ranges::any_of(
            beam, [&](const Partial& other) { return other.chosen == candidate.chosen; });
        if (!known) beam.push_back(std::move(candidate));
        if (beam.size() == width) break;
      }
    }
    return *std::ranges::min_element(beam, {}, &Partial::cost);
  }

  void extend(const Partial& partial, std::uint32_t n, std::vector<Partial>& next) const {
    for (std::uint32_t i = 0; i < n; ++i) {
      if ((partial.chosen & bit(i)) != 0) continue;
      Partial longer;
      longer.chosen = partial.chosen | bit(i);
      const double pairs = partial.log_states + log_values_[i];
      const double kept = std::max(0.0, pairs + log_decided(partial.chosen, bit(i)));
      longer.cost = partial.cost + std::exp2(pairs) + kKeptCost * std::exp2(kept);
      longer.log_states = std::min(kept, log_live(longer.chosen));
      longer.rank = std::log2(longer.cost) + longer.log_states;
      longer.order = partial.order;
      longer.order.push_back(i);
      next.push_back(std::move(longer));
    }
  }

  std::vector<double> log_values_;
  std::vector<Mask> masks_;
  std::vector<double> log_passes_;
};

// Greedy: the next parameter is one of the begun condition that misses the fewest.
std::vector<std::uint32_t> step_by_step(const OrderProblem& problem) {
  std::vector<std::size_t> missing;
  for (const auto& condition : problem.conditions) missing.push_back(condition.members.size());
  std::vector<bool> chosen(problem.values.size(), false);
  std::vector<std::uint32_t> order;
  while (order.size() < chosen.size()) {
    const OrderProblem::Condition* best = nullptr;
    std::size_t fewest = 0;
    for (std::size_t c = 0; c < missing.size(); ++c) {
      const auto& condition = problem.conditions[c];
      const bool begun = missing[c] < condition.members.size() || order.empty();
      if (missing[c] == 0 || !begun || (best != nullptr && missing[c] >= fewest)) continue;
      best = &condition;
      fewest = missing[c];
    }
    const auto& candidates = best->members;  // the group is connected: there always is one
    const std::uint32_t next =
        *std::ranges::find_if(candidates, [&](std::uint32_t p) { return !chosen[p]; });
    chosen[next] = true;
    order.push_back(next);
    for (std::size_t c = 0; c < missing.size(); ++c) {
      if (std::ranges::binary_search(problem.conditions[c].members, next)) --missing[c];
    }
  }
  return order;
}

}  // namespace

std::vector<std::uint32_t> find_order(const OrderProblem& problem) {
  if (problem.values.size() > kSearched) return step_by_step(problem);
  return OrderSearch(problem).run();
}

}  // namespace tuner::detail
