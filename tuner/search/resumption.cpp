// Compares what is stored with the device as it is now, and holds suspects back until nothing else
// is left to do or to wait for.

#include "tuner/search/resumption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/search/ranking.h"

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

namespace {

constexpr double kDrift = 0.03;  // the sentinel's: less is not worth a word
constexpr int kMostTries = 3;

std::string outdated_text(double ratio) {
  return fmt::format(
      "measured when the device was {:.2g} times {}, and not again since: not to be compared",
      ratio > 1 ? ratio : 1 / ratio, ratio > 1 ? "faster" : "slower");
}

}  // namespace

void mark_outdated(Trial& trial, double ratio) {
  if (!is_valid(trial) || trial.outdated) return;
  trial.outdated = true;
  trial.message = outdated_text(ratio);
  trial.final.reset();  // it says nothing about new ones
}

bool has_moved(const Timing& then, const Timing& now) {
  if (!is_time(then.median)) return false;  // a finalist of an older program: nothing to compare
  const bool known = then.ci_low > 0;       // likewise: its median alone
  const double low = known ? then.ci_low : then.median;
  const double high = known ? then.ci_high : then.median;
  const bool apart = now.ci_low > high || now.ci_high < low;
  return apart && std::abs(now.median / then.median - 1) > kDrift;
}

std::string moved_text(const Moved& moved, const std::vector<Parameter>& parameters) {
  const std::string best = configuration_text(parameters, moved.now.configuration);
  const bool slower = moved.ratio > 1;
  return fmt::format(
      "  the device is {:.2g} times {} than when these results were measured: {} took {:.4g} ms "
      "then, {:.4g} ms now",
      slower ? moved.ratio : 1 / moved.ratio, slower ? "slower" : "faster", best,
      moved.then.timing.median, moved.now.timing.median);
}

Resumption::Resumption(const ObjectiveSpec& objective, const MeasureSpec& measure,
                       std::vector<Trial> stored, std::optional<Configuration> baseline)
    : objective_(objective),
      measure_(measure),
      baseline_(std::move(baseline)),
      trials_(std::move(stored)) {
  for (std::size_t i = 0; i < trials_.size(); ++i) places_.emplace(trials_[i].index, i);
}

std::optional<Recalled> Resumption::recall(ConfigIndex index) const {
  const auto found = places_.find(index);
  if (found == places_.end() || index == measuring_) return std::nullopt;
  const Trial& trial = trials_[found->second];
  if (is_valid(trial) && trial.outdated) return std::nullopt;
  return Recalled{trial, found->second};
}

bool Resumption::is_valid_result(ConfigIndex index) const {
  const auto found = places_.find(index);
  return found != places_.end() && is_valid(trials_[found->second]);
}

bool Resumption::any_valid() const { return std::ranges::any_of(trials_, is_valid); }

bool Resumption::any_outdated() const {
  return std::ranges::any_of(trials_,
                             [](const Trial& trial) { return is_valid(trial) && trial.outdated; });
}

std::size_t Resumption::best() const {
  const auto round = standing_final(objective_, trials_, baseline_);
  const RankedResults ranked = rank(objective_, trials_, round, measure_, baseline_);
  const bool any = ranked.ranked > 0 && ranked.trials.front().state == TrialState::kOk;
  return any ? places_.at(ranked.trials.front().index) : trials_.size();
}

std::vector<Trial> Resumption::outdate(std::size_t best, double ratio) {
  std::vector<Trial> changed;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    Trial& trial = trials_[i];
    if (i == best || !is_valid(trial) || trial.outdated) continue;
    mark_outdated(trial, ratio);
    changed.push_back(trial);
  }
  return changed;
}

std::optional<Moved> Resumption::compare(
    Evaluator& evaluator, double until,
    const std::function<void(std::span<const Trial>)>& replace) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::size_t at = best();
    if (at == trials_.size()) return std::nullopt;
    measuring_ = trials_[at].index;
    evaluator.submit(*measuring_);
    const std::optional<Trial> now = evaluator.next(until);
    measuring_.reset();
    if (!now) {  // interrupted, or the time is up
      evaluator.cancel();
      return std::nullopt;
    }
    const Trial then = trials_[at];
    if (!is_valid(*now)) {
      trials_[at] = *now;
      replace(std::span(&*now, 1));
      continue;
    }
    if (!has_moved(then.timing, now->timing)) return std::nullopt;
    const double ratio = now->timing.median / then.timing.median;
    std::vector<Trial> changed = outdate(at, ratio);
    const std::size_t others = changed.size();
    trials_[at] = *now;
    changed.push_back(*now);
    replace(changed);
    return Moved{then, *now, ratio, others};
  }
  return std::nullopt;
}

std::vector<ConfigIndex> Resumption::outdated() const {
  std::vector<Trial> old;
  for (const Trial& trial : trials_) {
    if (!is_valid(trial) || !trial.outdated) continue;
    old.push_back(trial);
    old.back().outdated = false;  // among themselves they can be compared
  }
  std::vector<ConfigIndex> order;
  for (const Trial& trial : rank(objective_, std::move(old), std::nullopt, measure_).trials) {
    order.push_back(trial.index);
  }
  return order;
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
