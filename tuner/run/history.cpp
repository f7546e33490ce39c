// Looks up and keeps what is known of one problem size.

#include "tuner/run/history.h"

#include "tuner/engine/baseline.h"
#include "tuner/run/stored_results.h"

namespace tuner {

SizeHistory::SizeHistory(const History& history, const Study& study, const SearchSpace& space,
                         const DeviceFacts& device, const ProblemSize& size)
    : store_(history.store()),
      space_(space),
      context_(store_.context(history.key(device, size))),
      blamed_(store_.settle_in_flight(context_)),
      memory_(trials_for_run(store_, context_, study, device, size)),
      resumption_(study.objective, study.measure, memory_.in(space), baseline_of(study)) {}

std::vector<ConfigIndex> SizeHistory::suspects() const {
  std::vector<ConfigIndex> found;
  for (const Configuration& one : store_.suspects(context_)) {
    if (const auto index = space_.index_of(one)) found.push_back(*index);
  }
  return found;
}

std::optional<Recalled> SizeHistory::recall(const Configuration& configuration) const {
  const auto index = space_.index_of(configuration);
  return index ? resumption_.recall(*index) : std::nullopt;
}

// What gave a right answer before is not suspected when a run dies: its result would be lost.
void SizeHistory::announce(const Configuration& configuration) {
  const auto index = space_.index_of(configuration);
  if (index && resumption_.is_valid_result(*index)) return;
  store_.mark_in_flight(context_, configuration);
}

void SizeHistory::withdraw(const Configuration& configuration) {
  store_.clear_in_flight(context_, configuration);
}

void SizeHistory::record(const Trial& trial) { store_.record(context_, trial); }

void SizeHistory::record_final(const std::vector<Trial>& finalists) {
  store_.record(context_, memory_.earlier_finalists(finalists));
  store_.record(context_, finalists);
}

void SizeHistory::replace(std::span<const Trial> changed) {
  store_.rewrite(context_, changed.first(changed.size() - 1), changed.back());
  for (const Trial& trial : changed) memory_.replace(trial);
}

void SizeHistory::outdate_outsiders(const Moved& moved) {
  std::vector<Trial> outside = memory_.outside(space_);
  for (Trial& trial : outside) {
    mark_outdated(trial, moved.ratio);
    memory_.replace(trial);
  }
  store_.rewrite(context_, outside, moved.now);
}

void SizeHistory::add_others(std::vector<Trial>& trials) const {
  memory_.add_others(space_, trials);
  memory_.add_outsiders(space_, trials);
}

}  // namespace tuner
