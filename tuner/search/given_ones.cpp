// Holds suspects back until nothing else is left to do or to wait for.

#include "tuner/search/given_ones.h"

#include <utility>

namespace tuner {

Postponed::Postponed(const std::vector<ConfigIndex>& suspects, std::unique_ptr<Strategy> then)
    : StrategyBefore(std::move(then)) {
  for (const ConfigIndex index : suspects) suspects_.emplace(index, State::kUnasked);
}

std::vector<ConfigIndex> Postponed::ask(std::size_t count) {
  if (one_is_alone_) return {};
  std::vector<ConfigIndex> out;
  for (bool any_held = true; out.empty() && any_held;) {
    any_held = false;
    for (const ConfigIndex index : then().ask(count)) {
      const auto suspect = suspects_.find(index);
      if (suspect == suspects_.end() || suspect->second == State::kOut) {
        out.push_back(index);
      } else if (suspect->second == State::kUnasked) {
        suspect->second = State::kHeld;
        held_.push_back(index);
        any_held = true;
      }
    }
  }
  if (out.empty() && outstanding_ == 0 && !held_.empty()) {
    out.push_back(held_.front());
    held_.erase(held_.begin());
    suspects_[out.front()] = State::kOut;
    one_is_alone_ = true;
  }
  outstanding_ += out.size();
  return out;
}

void Postponed::tell(const Observation& observation) {
  if (outstanding_ > 0) --outstanding_;
  one_is_alone_ = false;
  then().tell(observation);
}

}  // namespace tuner
