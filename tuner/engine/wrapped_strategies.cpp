// Puts given configurations before those of a strategy, and suspects behind them.

#include "tuner/engine/wrapped_strategies.h"

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

GivenFirst::GivenFirst(std::vector<ConfigIndex> given, std::unique_ptr<Strategy> then)
    : StrategyBefore(std::move(then)), given_(std::move(given)) {
  for (const ConfigIndex index : given_) answers_.emplace(index, Given{});
}

std::vector<ConfigIndex> GivenFirst::ask(std::size_t count) {
  std::vector<ConfigIndex> out;
  while (out.size() < count && next_ < given_.size()) out.push_back(given_[next_++]);
  if (!out.empty()) return out;
  for (;;) {
    bool any_given = false;
    for (const ConfigIndex index : then().ask(count)) {
      const auto given = answers_.find(index);
      if (given == answers_.end() || given->second.wanted) {
        out.push_back(index);
        continue;
      }
      any_given = given->second.wanted = true;
      if (given->second.answer) then().tell(*given->second.answer);
    }
    if (!out.empty() || !any_given) return out;
  }
}

void GivenFirst::tell(const Observation& observation) {
  const auto given = answers_.find(observation.index);
  if (given == answers_.end() || given->second.wanted) return then().tell(observation);
  given->second.answer = observation;
}

std::vector<ConfigIndex> GivenFirst::order(std::vector<ConfigIndex> compiled) {
  std::vector<ConfigIndex> ordered;
  std::vector<ConfigIndex> others;
  for (const ConfigIndex index : compiled) {
    const auto given = answers_.find(index);
    const bool is_first = given != answers_.end() && !given->second.wanted;
    (is_first ? ordered : others).push_back(index);
  }
  others = then().order(std::move(others));
  ordered.insert(ordered.end(), others.begin(), others.end());
  return ordered;
}

}  // namespace tuner
