// Computes what an exported header's select() would answer.

#include "tuner/exporters/selection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tuner/engine/resolve.h"

namespace tuner {
namespace {

int tier_of(const DeviceFacts& have, const DeviceFacts& want) {
  const int h = have.compute_capability;
  const int w = want.compute_capability;
  if (h == w) return have.name == want.name ? 0 : 1;
  if (h == 0 || w == 0 || h > w) return -1;
  return h / 10 == w / 10 ? 2 : 3;
}

// The header's detail::attributes_fit(), for attributes that have values.
bool attributes_fit(const LaunchGeometry& launch, const DeviceFacts& device) {
  const LaunchAttributes& asked = launch.attributes;
  const std::uint64_t blocks = asked.blocks_in_cluster();
  return blocks <= 16 &&
         ((blocks == 1 && !asked.programmatic) || device.compute_capability >= 90) &&
         launch.grid[0] % asked.cluster[0] == 0 && launch.grid[1] % asked.cluster[1] == 0 &&
         launch.grid[2] % asked.cluster[2] == 0;
}

// The header's detail::launchable(), term by term (header_rules.cpp), and not the engine's
// over_limits(): the header knows no extents of a device, and takes CUDA's for all of them.
bool within_limits(const LaunchGeometry& launch, const DeviceFacts& device) {
  const auto& block = launch.block;
  const auto& grid = launch.grid;
  return block[0] <= 1024 && block[1] <= 1024 && block[2] <= 64 &&
         launch.threads_per_block() <= static_cast<std::uint64_t>(device.max_threads_per_block) &&
         grid[0] <= 2147483647U && grid[1] <= 65535U && grid[2] <= 65535U &&
         launch.dynamic_shared_bytes <=
             static_cast<std::uint64_t>(device.max_shared_memory_per_block_optin) &&
         attributes_fit(launch, device);
}

// Validity by configuration, asked once each.
class Validity {
 public:
  Validity(const Study& study, const TunedTable& table, const DeviceFacts& device,
           const ProblemSize& size)
      : study_(study), table_(table), device_(device), size_(size) {
    known_.resize(table.configurations.size());
  }
  bool of(std::size_t c) {
    if (!known_[c]) known_[c] = may_launch(study_, table_.configurations[c], device_, size_);
    return *known_[c];
  }

 private:
  const Study& study_;
  const TunedTable& table_;
  const DeviceFacts& device_;
  const ProblemSize& size_;
  std::vector<std::optional<bool>> known_;
};

// Tier, newness, processors apart: the smallest is the nearest device, the first of equals.
std::optional<std::size_t> nearest_device(const TunedTable& table, const DeviceFacts& device) {
  std::optional<std::size_t> best;
  std::tuple<int, int, std::int64_t> best_standing;
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    const DeviceFacts& have = table.devices[i];
    const int tier = tier_of(have, device);
    if (tier < 0) continue;
    const std::int64_t apart =
        tier == 0 ? 0 : std::abs(have.multiprocessors - device.multiprocessors);
    const std::tuple standing{tier, -have.compute_capability, apart};
    if (best && !(standing < best_standing)) continue;
    best = i;
    best_standing = standing;
  }
  return best;
}

// The header's detail::predicted(), term by term.
std::optional<Selection> predicted(const TunedTable& table, const DeviceFacts& device,
                                   const ProblemSize& size, Validity& valid) {
  const auto nearest = nearest_device(table, device);
  if (!nearest) return std::nullopt;
  const int tier = tier_of(table.devices[*nearest], device);
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const TunedEntry& entry = table.entries[i];
    if (entry.device != *nearest || entry.size.dims != size.dims) continue;
    if (!valid.of(entry.configuration)) continue;
    return Selection{entry.configuration, tier > 0 ? Match::kNearDevice : Match::kExact, i, tier,
                     0};
  }
  const Predictor* best = nullptr;
  double least = 0;
  for (const Predictor& one : table.learned->predictors) {
    if (one.device != *nearest) continue;
    const double cost = predicted_cost(one, device.multiprocessors, size);
    if ((best != nullptr && cost >= least) || !valid.of(one.configuration)) continue;
    best = &one;
    least = cost;
  }
  if (best == nullptr) return std::nullopt;
  const Match how = tier > 0 ? Match::kNearDevice : Match::kPredicted;
  return Selection{best->configuration, how, {}, tier, 0};
}

}  // namespace

std::string_view name_of(Match match) {
  constexpr std::array<std::string_view, 6> kNames{"exact",    "near_size",   "near_device",
                                                   "fallback", "unsupported", "predicted"};
  return kNames.at(static_cast<std::size_t>(match));
}

SizeDistance::SizeDistance(const std::vector<double>& weights) {
  constexpr double kLargest = 1 << 24;  // squares have 28 bits at most, so sums stay below 63
  const double most = weights.empty() ? 0 : std::ranges::max(weights);
  if (!(most > 0)) return;
  for (const double weight : weights) {
    // What is not nothing still counts.
    const std::int64_t factor = std::llround(weight / most * kLargest);
    factors_.push_back(weight > 0 ? std::max<std::int64_t>(1, factor) : 0);
  }
  unit_ = most / kLargest / 65536;
}

std::int64_t SizeDistance::between(const ProblemSize& a, const ProblemSize& b) const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < a.dims.size() && d < b.dims.size(); ++d) {
    const std::int64_t apart = lg256(a.dims[d].second) - lg256(b.dims[d].second);
    sum += factor(d) * apart * apart;
  }
  return sum;
}

bool may_launch(const Study& study, const Configuration& configuration, const DeviceFacts& device,
                const ProblemSize& size) {
  const Bindings names = bindings_of(study, configuration, device, size);
  if (!constraints_hold(study, names)) return false;
  const auto launch = geometry(study.launch, names);
  const auto then = next_launches(study, names);
  return launch && then && within_limits(*launch, device) &&
         std::ranges::all_of(
             *then, [&](const auto& next) { return within_limits(next.geometry, device); });
}

Selection select(const Study& study, const TunedTable& table, const DeviceFacts& device,
                 const ProblemSize& size) {
  if (!std::ranges::all_of(size.dims, [](const auto& dim) { return dim.second > 0; })) {
    return {0, Match::kFallback, {}, 4, 0};
  }
  Validity valid(study, table, device, size);
  if (table.learned && is_within(table.learned->domain, size)) {
    if (const auto found = predicted(table, device, size, valid)) return *found;
  }
  const SizeDistance distance(table.weights);
  // Tier, newness, processors apart, distance: the smallest wins, the first of equals.
  using Standing = std::tuple<int, int, std::int64_t, std::int64_t>;
  std::optional<Standing> best_standing;
  std::size_t best = 0;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const TunedEntry& entry = table.entries[i];
    const DeviceFacts& have = table.devices[entry.device];
    const int tier = tier_of(have, device);
    if (tier < 0) continue;
    const std::int64_t apart =
        tier == 0 ? 0 : std::abs(have.multiprocessors - device.multiprocessors);
    const Standing standing{tier, -have.compute_capability, apart,
                            distance.between(size, entry.size)};
    if (best_standing && !(standing < *best_standing)) continue;
    if (!valid.of(entry.configuration)) continue;
    best_standing = standing;
    best = i;
  }
  if (best_standing) {
    const TunedEntry& entry = table.entries[best];
    const int tier = std::get<0>(*best_standing);
    const Match how = tier > 0                       ? Match::kNearDevice
                      : entry.size.dims == size.dims ? Match::kExact
                                                     : Match::kNearSize;
    return {entry.configuration, how, best, tier, distance.log2_sq(std::get<3>(*best_standing))};
  }
  for (std::size_t c = 0; c < table.configurations.size(); ++c) {
    if (valid.of(c)) return {c, Match::kFallback, {}, 4, 0};
  }
  return {};
}

}  // namespace tuner
