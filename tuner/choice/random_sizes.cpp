// Draws the problem sizes that an export is tried on.

#include "tuner/choice/random_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/base/hash.h"

namespace tuner {
namespace {

std::pair<std::int64_t, std::int64_t> range_of(const TunedTable& table, std::size_t dim,
                                               std::int64_t largest) {
  std::int64_t low = table.entries.front().size.dims[dim].second;
  std::int64_t high = low;
  for (const TunedEntry& entry : table.entries) {
    low = std::min(low, entry.size.dims[dim].second);
    high = std::max(high, entry.size.dims[dim].second);
  }
  if (largest > 0) high = std::min(high, largest);
  return {std::max<std::int64_t>(1, std::min(low, high) / 4), high};
}

}  // namespace

std::vector<ProblemSize> random_sizes(const TunedTable& table, std::uint64_t count,
                                      std::uint64_t seed, std::int64_t largest) {
  std::vector<ProblemSize> sizes;
  std::uint64_t state = splitmix64(seed);
  const auto next = [&] { return state = splitmix64(state); };
  for (std::uint64_t i = 0; i < count && !table.entries.empty(); ++i) {
    ProblemSize size = table.entries.front().size;
    for (std::size_t d = 0; d < size.dims.size(); ++d) {
      const auto [low, high] = range_of(table, d, largest);
      const double share = static_cast<double>(next() >> 11) / 9007199254740992.0;
      const double ratio = static_cast<double>(high) / static_cast<double>(low);
      auto extent = static_cast<std::int64_t>(static_cast<double>(low) * std::pow(ratio, share));
      if (next() % 2 == 0 && extent >= 32) extent = extent / 32 * 32;
      size.dims[d].second = std::clamp<std::int64_t>(extent, 1, high);
    }
    sizes.push_back(std::move(size));
  }
  return sizes;
}

}  // namespace tuner
