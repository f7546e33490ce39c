// Finds configurations for sizes where no tuned one is valid, and few that serve all sizes well.

#include "tuner/deploy/fallbacks.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/deploy/selection.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

namespace {

constexpr std::size_t kMostFallbacks = 4;  // a launcher compiles each of them
constexpr std::size_t kMostSizes = 256;    // of all tuned sizes' neighbours; bounds the time, as do
constexpr std::size_t kMostPairs = 100000;
constexpr std::size_t kCompared = 16;  // candidates of which the one that serves most is taken

using Probe = std::pair<const DeviceFacts*, const ProblemSize*>;

bool serves(const Study& study, const Configuration& configuration, const Probe& probe) {
  return may_launch(study, configuration, *probe.first, *probe.second);
}

// Those that none of `have` serves, the last ones the likeliest to be asked for.
std::vector<Probe> open_probes(const Study& study, const Probes& probes,
                               const std::vector<Configuration>& have) {
  std::vector<Probe> open;
  const std::size_t step = 1 + probes.sizes.size() / kMostSizes;
  for (const DeviceFacts& device : probes.devices) {
    for (std::size_t i = 0; i < probes.sizes.size(); i += step) {
      const Probe probe{&device, &probes.sizes[i]};
      const bool served = std::ranges::any_of(
          have, [&](const Configuration& one) { return serves(study, one, probe); });
      if (!served) open.push_back(probe);
    }
  }
  std::ranges::reverse(open);
  return open;
}

}  // namespace

Probes probes_for(const std::vector<DeviceFacts>& devices, const std::vector<ProblemSize>& tuned) {
  Probes probes;
  probes.devices = devices;
  probes.devices.emplace_back();  // nothing beyond what every device has
  probes.devices.back().compute_capability = devices.front().compute_capability;
  const auto add = [&](ProblemSize size, const auto& change) {
    for (auto& dim : size.dims) dim.second = std::max<std::int64_t>(1, change(dim.second));
    probes.sizes.push_back(std::move(size));
  };
  for (const ProblemSize& size : tuned) {
    probes.sizes.push_back(size);
    for (std::size_t d = 0; d < size.dims.size(); ++d) {
      for (const std::int64_t step : {-1, 1, 2}) {
        ProblemSize near = size;
        near.dims[d].second = std::max<std::int64_t>(1, near.dims[d].second + step);
        probes.sizes.push_back(std::move(near));
      }
    }
    add(size, [](std::int64_t extent) { return extent + 1; });
    add(size, [](std::int64_t extent) { return extent / 2 + 1; });
  }
  for (const std::int64_t extent : {1, 2, 3, 5, 31, 1000, 1009, 8191, 65537}) {
    add(tuned.front(), [&](std::int64_t) { return extent; });
  }
  return probes;
}

bool holds_for_all(const Study& study, const Configuration& configuration, const Probes& probes) {
  return std::ranges::all_of(probes.devices, [&](const DeviceFacts& device) {
    return std::ranges::all_of(probes.sizes, [&](const ProblemSize& size) {
      return constraints_hold(study, bindings_of(study, configuration, device, size));
    });
  });
}

std::vector<Configuration> more_fallbacks(const Study& study, const Probes& probes,
                                          const std::vector<Configuration>& have,
                                          const std::vector<Configuration>& candidates) {
  std::vector<Probe> open = open_probes(study, probes, have);
  std::vector<Configuration> chosen;
  std::size_t checks = 0;
  while (!open.empty() && chosen.size() < kMostFallbacks && checks < kMostPairs) {
    std::vector<const Configuration*> able;
    for (const Configuration& one : candidates) {
      if (able.size() == kCompared || ++checks > kMostPairs) break;
      if (serves(study, one, open.back())) able.push_back(&one);
    }
    if (able.empty()) {  // nothing that was measured serves it
      open.pop_back();
      continue;
    }
    std::vector<std::ptrdiff_t> served;
    for (const Configuration* one : able) {
      served.push_back(
          std::ranges::count_if(open, [&](const Probe& p) { return serves(study, *one, p); }));
    }
    const Configuration& widest = *able[static_cast<std::size_t>(
        std::ranges::max_element(served) - served.begin())];  // the first of equals is the fastest
    std::erase_if(open, [&](const Probe& probe) { return serves(study, widest, probe); });
    chosen.push_back(widest);
  }
  return chosen;
}

namespace {

using Losses = std::vector<std::vector<double>>;
using Words = std::vector<std::uint64_t>;  // a bit for each row

Words rows_covered(const std::vector<double>& losses, double within) {
  Words words((losses.size() + 63) / 64);
  for (std::size_t r = 0; r < losses.size(); ++r) {
    if (losses[r] <= within) words[r / 64] |= std::uint64_t{1} << (r % 64);
  }
  return words;
}

int common_rows(const Words& a, const Words& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::popcount(a[i] & b[i]);
  return count;
}

double total(const std::vector<double>& losses, double within) {
  return std::accumulate(losses.begin(), losses.end(), 0.0,
                         [&](double sum, double loss) { return sum + std::min(loss, within); });
}

// Each step takes the configuration that covers most of what is left; of equals the fastest. An
// exact search found no smaller cover in any of the shipped results.
std::vector<std::size_t> greedy_cover(const Losses& losses, double within) {
  std::vector<Words> covered;
  // Open rows that each one covers, when last counted: there are never more later.
  std::vector<int> counts(losses.size(), std::numeric_limits<int>::max());
  for (const auto& one : losses) {
    covered.push_back(rows_covered(one, within));
  }
  const auto is_slower = [&](std::size_t a, std::size_t b) {
    return !(total(losses[a], within) < total(losses[b], within));
  };
  Words open(covered.empty() ? 0 : covered[0].size(), ~std::uint64_t{0});
  std::vector<std::size_t> chosen;
  for (;;) {
    std::size_t best = losses.size();
    int most = 0;
    for (std::size_t c = 0; c < losses.size(); ++c) {
      if (counts[c] < most || counts[c] == 0) continue;
      const int count = counts[c] = common_rows(covered[c], open);
      if (count < most || count == 0) continue;
      if (count == most && is_slower(c, best)) continue;
      best = c;
      most = count;
    }
    if (most == 0) return chosen;
    chosen.push_back(best);
    for (std::size_t i = 0; i < open.size(); ++i) open[i] &= ~covered[best][i];
  }
}

}  // namespace

std::vector<std::size_t> small_cover(const Losses& losses, double within, std::size_t limit) {
  std::vector<std::size_t> chosen = greedy_cover(losses, within);
  if (limit == 0 || chosen.size() <= limit) return chosen;
  std::vector<double> thresholds;
  for (const auto& row : losses) {
    for (const double loss : row) {
      if (loss > within && loss < std::numeric_limits<double>::infinity()) {
        thresholds.push_back(loss);
      }
    }
  }
  std::ranges::sort(thresholds);
  // The smallest worst loss for which `limit` configurations are enough.
  std::size_t low = 0;
  std::size_t high = thresholds.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    std::vector<std::size_t> attempt = greedy_cover(losses, thresholds[middle]);
    if (attempt.size() <= limit) {
      chosen = std::move(attempt);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (chosen.size() > limit) chosen.resize(limit);  // no one configuration is valid everywhere
  return chosen;
}

std::vector<std::size_t> best_together(const Losses& losses, std::size_t limit, double most,
                                       double least_gain) {
  std::vector<double> now(losses.empty() ? 0 : losses[0].size(), most);
  // Gain of each one when last counted: it never grows later.
  std::vector<double> gains(losses.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> chosen;
  while (chosen.size() < limit) {
    std::size_t best = losses.size();
    double largest = least_gain;
    for (std::size_t c = 0; c < losses.size(); ++c) {
      if (gains[c] <= largest) continue;
      double gain = 0;
      for (std::size_t r = 0; r < now.size(); ++r) gain += std::max(0.0, now[r] - losses[c][r]);
      gains[c] = gain;
      if (gain <= largest) continue;
      largest = gain;
      best = c;
    }
    if (best == losses.size()) break;
    chosen.push_back(best);
    for (std::size_t r = 0; r < now.size(); ++r) now[r] = std::min(now[r], losses[best][r]);
  }
  return chosen;
}

}  // namespace tuner
