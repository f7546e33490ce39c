// Keeps what was asked and told (history.h).

#include "tuner/plugins/strategies/parts/history.h"

#include <algorithm>

namespace tuner::strategies {

std::optional<Index> History::fresh() const {
  for (; next_fresh_ < order_.size(); ++next_fresh_) {
    const Index index = order_.at(next_fresh_);
    if (!seen(index)) return index;
  }
  return std::nullopt;
}

std::vector<Index> History::claim_fresh(std::size_t count) {
  std::vector<Index> out;
  while (out.size() < count) {
    const auto index = fresh();
    if (!index) break;
    claim(*index);
    out.push_back(*index);
  }
  return out;
}

void History::record(const Observation& observation) {
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

const History::Entry* History::find(Index index) const {
  const auto found = slots_.find(index);
  return found == slots_.end() || found->second == kOpen ? nullptr : &entries_[found->second];
}

double History::spread() const {
  std::vector<double> values;
  for (const Entry& entry : entries_) {
    if (entry.value < kInfinity) values.push_back(entry.value);
  }
  if (values.size() < 2) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle - best()->value;
}

}  // namespace tuner::strategies
