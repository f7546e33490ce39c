// Looks up and keeps what is known of one problem size.

#include "tuner/history/size_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tuner/base/text.h"
#include "tuner/history/stored_results.h"
#include "tuner/search/ranking.h"

namespace tuner {

namespace {

std::string text_of(const Configuration& configuration) {
  std::string text;
  for (const Value& value : configuration) text += to_text(value) + '\n';
  return text;
}

}  // namespace

TrialMemory::TrialMemory(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    if (places_.emplace(text_of(trial.configuration), known_.size()).second) {
      known_.push_back(trial);
    }
  }
}

std::vector<Trial> TrialMemory::in(const SearchSpace& space) const {
  std::vector<Trial> trials;
  add_others(space, trials);
  return trials;
}

void TrialMemory::replace(const Trial& trial) {
  const auto [at, is_new] = places_.emplace(text_of(trial.configuration), known_.size());
  if (is_new) {
    known_.push_back(trial);
  } else {
    known_[at->second] = trial;
  }
}

std::vector<Trial> TrialMemory::earlier_finalists(const std::vector<Trial>& now) const {
  std::vector<Trial> earlier;
  std::set<std::string> again_there;
  for (const Trial& finalist : now) again_there.insert(text_of(finalist.configuration));
  for (const Trial& trial : known_) {
    if (!trial.final || again_there.contains(text_of(trial.configuration))) continue;
    earlier.push_back(trial);
    earlier.back().final.reset();
  }
  return earlier;
}

void TrialMemory::add_others(const SearchSpace& space, std::vector<Trial>& trials) const {
  std::set<ConfigIndex> seen;
  for (const Trial& trial : trials) seen.insert(trial.index);
  for (const Trial& trial : known_) {
    const auto index = space.index_of(trial.configuration);
    if (!index || !seen.insert(*index).second) continue;
    trials.push_back(trial);
    trials.back().index = *index;
  }
}

std::vector<Trial> TrialMemory::outside(const SearchSpace& space) const {
  std::map<std::string, const Trial*> outside;  // in an order that is the same in each run
  for (const Trial& trial : known_) {
    if (!space.index_of(trial.configuration)) {
      outside.emplace(text_of(trial.configuration), &trial);
    }
  }
  std::vector<Trial> trials;
  trials.reserve(outside.size());
  for (const auto& [text, trial] : outside) trials.push_back(*trial);
  return trials;
}

void TrialMemory::add_outsiders(const SearchSpace& space, std::vector<Trial>& trials) const {
  ConfigIndex index = space.size();
  for (Trial& trial : outside(space)) {
    if (trial.outside) continue;
    trial.index = index++;
    trials.push_back(std::move(trial));
  }
}

std::size_t TrialMemory::outside_of_study() const {
  return static_cast<std::size_t>(std::ranges::count_if(known_, &Trial::outside));
}

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

// Marks a configuration as being on the device. One that gave a right answer before is not marked:
// if the run died it would be suspected, and its result lost.
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

std::vector<std::string> SizeHistory::warnings() const {
  const auto how = store_.ranked_by(context_);
  return how ? how->warnings : std::vector<std::string>();
}

void SizeHistory::warn(const std::string& text) {
  auto how = store_.ranked_by(context_);
  if (!how || std::ranges::find(how->warnings, text) != how->warnings.end()) return;
  how->warnings.push_back(text);
  store_.rank_by(context_, *how, {});
}

void SizeHistory::add_others(std::vector<Trial>& trials) const {
  memory_.add_others(space_, trials);
  memory_.add_outsiders(space_, trials);
}

namespace {

// Binary orders of magnitude between two sizes; dimensions that only one of them has count one.
double distance(const ProblemSize& a, const ProblemSize& b) {
  double total = 0;
  std::size_t shared = 0;
  for (const auto& [name, extent] : a.dims) {
    const auto same = std::ranges::find(b.dims, name, [](const auto& dim) { return dim.first; });
    if (same == b.dims.end()) continue;
    ++shared;
    if (extent > 0 && same->second > 0) {
      total += std::abs(std::log2(static_cast<double>(extent) / static_cast<double>(same->second)));
    }
  }
  return total + static_cast<double>(a.dims.size() + b.dims.size() - 2 * shared);
}

std::size_t valid_results(const Prior& prior) {
  return static_cast<std::size_t>(std::ranges::count_if(
      prior.results, [](const auto& one) { return std::isfinite(one.loss); }));
}

}  // namespace

double likeness(const ContextKey& earlier, const ContextKey& now) {
  constexpr double kOtherName = 0.7;
  constexpr double kOtherArchitecture = 0.7;
  constexpr double kPerBinaryOrder = 0.9;
  constexpr double kOtherIdentity = 0.9;  // each difference of source, options, compiler, ...
  if (earlier.kernel != now.kernel || earlier.device.backend != now.device.backend) return 0;
  double value = std::pow(kPerBinaryOrder, distance(earlier.size, now.size));
  if (earlier.device.name != now.device.name) value *= kOtherName;
  if (earlier.device.arch != now.device.arch) value *= kOtherArchitecture;
  ContextKey moved = earlier;  // so that only the rest differs
  moved.device = now.device;
  moved.size = now.size;
  return value * std::pow(kOtherIdentity, static_cast<double>(differences(moved, now).size()));
}

EarlierResults earlier_results(Store& store, const ContextKey& now, const ObjectiveSpec& objective,
                               const PriorTarget& target) {
  constexpr double kLeastLikeness = 0.1;
  constexpr std::size_t kFewestResults = 8;
  constexpr std::size_t kMostPlaces = 3;
  std::vector<std::pair<double, StoredContext>> places;
  for (StoredContext& context : store.contexts(now.kernel)) {
    if (differences(context.key, now).empty()) continue;  // these answer directly
    const double alike = likeness(context.key, now);
    if (context.trials < kFewestResults || alike < kLeastLikeness) continue;
    places.emplace_back(alike, std::move(context));
  }
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [](const auto& one) { return one.first; });
  EarlierResults found;
  for (const auto& [alike, context] : places) {
    if (found.priors.size() == kMostPlaces) break;
    const Recording recording = store_recording(store, context, objective.name);
    Prior prior = prior_of(recording, objective.maximize, target, alike);
    if (valid_results(prior) < kFewestResults) continue;
    found.note += fmt::format("{}{} of {} on {}", found.note.empty() ? "" : ", ",
                              count_text(prior.results.size(), "result"), context.key.size.label(),
                              context.key.device.name);
    found.priors.push_back(std::move(prior));
  }
  return found;
}

}  // namespace tuner
