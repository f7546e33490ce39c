#pragma once
// The questions and answers of a strategy.

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {

class History {
 public:
  struct Entry {
    Index index = 0;
    std::vector<double> objectives;  // empty: it failed
    double value = kInfinity;        // first objective; infinity: it failed
    double cost_seconds = 0;
    double compile_seconds = 0;  // of these
  };

  History(Space space, std::uint64_t seed) : space_(space), order_(space.size(), seed) {}

  const Space& space() const { return space_; }

  // True when `index` was neither proposed nor told before; from now on it counts as proposed.
  bool claim(Index index) { return slots_.emplace(index, kOpen).second; }
  bool seen(Index index) const { return slots_.contains(index); }

  // A uniformly random configuration that was not seen, not claimed yet; empty when there is none.
  // This is what makes every strategy end exactly when its space is exhausted.
  std::optional<Index> fresh() const {
    for (; next_fresh_ < order_.size(); ++next_fresh_) {
      const Index index = order_.at(next_fresh_);
      if (!seen(index)) return index;
    }
    return std::nullopt;
  }

  // Claims and returns up to `count` of them.
  std::vector<Index> claim_fresh(std::size_t count) {
    std::vector<Index> out;
    while (out.size() < count) {
      const auto index = fresh();
      if (!index) break;
      claim(*index);
      out.push_back(*index);
    }
    return out;
  }

  void record(const Observation& observation) {
    auto& slot = slots_.emplace(observation.index, kOpen).first->second;
    if (slot != kOpen) return;  // told twice: the first answer counts
    slot = entries_.size();
    entries_.push_back({observation.index,
                        {observation.objectives.begin(), observation.objectives.end()},
                        value_of(observation),
                        observation.cost_seconds,
                        observation.compile_seconds});
    const double value = entries_.back().value;
    if (value < kInfinity && (best_ == kOpen || value < entries_[best_].value)) best_ = slot;
  }

  const std::vector<Entry>& entries() const { return entries_; }  // in the order of the answers
  // Null when not answered.
  const Entry* find(Index index) const {
    const auto found = slots_.find(index);
    return found == slots_.end() || found->second == kOpen ? nullptr : &entries_[found->second];
  }

  // The best valid entry; null when there is none.
  const Entry* best() const { return best_ == kOpen ? nullptr : &entries_[best_]; }

  // Typical difference between values: median minus best of the valid ones, 0 when not known yet.
  double spread() const {
    std::vector<double> values;
    for (const Entry& entry : entries_) {
      if (entry.value < kInfinity) values.push_back(entry.value);
    }
    if (values.size() < 2) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle - best()->value;
  }

 private:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);

  Space space_;
  Permutation order_;
  mutable Index next_fresh_ = 0;                             // all before it were seen
  std::unordered_map<Index, std::size_t, IndexHash> slots_;  // entry, or kOpen
  std::vector<Entry> entries_;
  std::size_t best_ = kOpen;
};

}  // namespace tuner::strategies
