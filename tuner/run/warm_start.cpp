// Collects the results of other sizes and devices that a new search may learn from.

#include "tuner/run/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/run/store_recording.h"

namespace tuner {
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
    found.note +=
        fmt::format("{}{} results of {} on {}", found.note.empty() ? "" : ", ",
                    prior.results.size(), context.key.size.label(), context.key.device.name);
    found.priors.push_back(std::move(prior));
  }
  return found;
}

}  // namespace tuner
