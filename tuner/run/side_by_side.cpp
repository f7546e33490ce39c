// Deals devices among sizes, and runs rounds of groups until no size is left, or no device.

#include "tuner/run/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>

#include "tuner/base/error.h"

namespace tuner {
namespace {

// State that the groups' threads share.
class Rounds {
 public:
  explicit Rounds(const SideBySide& how) : how_(how), states_(how.sizes.size()) {}

  std::vector<SizeOutcome> tune() {
    while (how_.source.devices() > 0 && goes_on() && !left().empty()) run_one();
    for (const State& state : states_) {  // what a lost group has measured, and nobody after it
      if (state.outcome && !state.is_done) how_.listener.ranked(*state.outcome);
    }
    if (failure_) std::rethrow_exception(failure_);
    if (!left().empty() && !how_.interrupted()) {
      throw UnavailableError(lost_ + "; everything measured so far is kept");
    }
    std::vector<SizeOutcome> outcomes;
    for (State& state : states_) {
      if (state.outcome) outcomes.push_back(std::move(*state.outcome));
    }
    return outcomes;
  }

 private:
  struct State {
    std::optional<SizeOutcome> outcome;
    bool is_done = false;  // no other group has to take it
  };

  bool goes_on() const { return !failure_ && !how_.interrupted(); }

  std::vector<std::size_t> left() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i].is_done) indices.push_back(i);
    }
    return indices;
  }

  void run_one() {
    const std::vector<std::size_t> indices = left();
    const SizeRound round = next_round(indices.size(), how_.source.devices());
    queue_.assign(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(round.sizes));
    std::vector<RunListener> lanes;
    for (std::size_t i = 0; i < round.devices.size(); ++i) {
      lanes.push_back(how_.listener.in_lane(i + 1));
    }
    auto groups = how_.source.deal(round.devices, lanes);
    std::atomic<std::size_t> at_work = groups.size();
    std::vector<WorkerThreads::Task> tasks{[&] { how_.source.serve(); }};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      tasks.emplace_back([&, i] {
        try {
          work(*groups[i], lanes[i]);
        } catch (...) {  // of the listener
          fail();
        }
        if (--at_work == 0) how_.source.stop_serving();
      });
    }
    how_.threads.run(std::move(tasks));
    groups.clear();
    how_.source.gather();
  }

  // ---- on the threads of the groups -------------------------------------------------------------

  void work(SizeGroup& group, RunListener& lane) {
    while (const auto index = take()) {
      lane.turn_to({}, how_.sizes[*index]);
      try {
        SizeOutcome outcome = group.tune(how_.sizes[*index]);
        if (!outcome.lost.empty() && group.is_gone()) {
          const std::string why = outcome.lost;
          return give_back(*index, std::move(outcome), why, lane);
        }
        how_.conclude(keep(*index, std::move(outcome)), lane);
      } catch (const UnavailableError& error) {
        if (!group.is_gone()) return fail(error.what(), lane);
        return give_back(*index, std::nullopt, error.what(), lane);
      } catch (const std::exception& error) {
        return fail(error.what(), lane);
      }
    }
  }

  std::optional<std::size_t> take() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() || !goes_on()) return std::nullopt;
    const std::size_t index = queue_.front();
    queue_.pop_front();
    return index;
  }

  const SizeOutcome& keep(std::size_t index, SizeOutcome outcome) {
    const std::lock_guard lock(mutex_);
    states_[index] = {std::move(outcome), true};
    return *states_[index].outcome;
  }

  void give_back(std::size_t index, std::optional<SizeOutcome> outcome, const std::string& why,
                 const RunListener& lane) {
    {
      const std::lock_guard lock(mutex_);
      if (outcome) states_[index].outcome = std::move(outcome);
      queue_.push_front(index);
      lost_ = why;
    }
    lane.note("  its devices are lost; others continue with the size if there are any: " + why);
  }

  // Keeps the first exception, which is being handled. Other groups finish what they are at.
  void fail() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  void fail(const std::string& what, const RunListener& lane) {
    fail();
    lane.note("  the run ends after the sizes that are in progress: " + what);
  }

  const SideBySide& how_;
  std::mutex mutex_;  // of what follows, while groups are at work
  std::vector<State> states_;
  std::deque<std::size_t> queue_;
  std::exception_ptr failure_;
  std::string lost_;  // why the last group that was lost is
};

}  // namespace

SizeRound next_round(std::size_t sizes, std::size_t devices) {
  const std::size_t groups = std::min(sizes, devices);
  SizeRound round;
  for (std::size_t i = 0; i < groups; ++i) {
    round.devices.push_back(devices / groups + (i < devices % groups ? 1 : 0));
  }
  round.sizes = sizes - sizes % groups;
  return round;
}

std::vector<SizeOutcome> SideBySide::tune() const { return Rounds(*this).tune(); }

}  // namespace tuner
