// Finds configurations for sizes where no tuned one is valid.

#include "tuner/deploy/fallbacks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tuner/deploy/selection.h"
#include "tuner/resolve/names_at.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

namespace {

constexpr std::size_t kMostFallbacks = 4;  // a launcher compiles each of them
constexpr std::size_t kMostSizes = 256;    // of all tuned sizes' neighbours; bounds the time, as do
constexpr std::size_t kMostPairs = 100000;
constexpr std::size_t kCompared = 16;  // candidates of which the one that serves most is taken

// A device and a size, asked for one configuration after the other.
struct Probe {
  const DeviceFacts* device;
  NamesAt names;
};

bool serves(const Study& study, const Configuration& configuration, Probe& probe) {
  return may_launch(study, probe.names, configuration, *probe.device);
}

// Those that none of `have` serves, the last ones the likeliest to be asked for.
std::vector<Probe> open_probes(const Study& study, const Probes& probes,
                               const std::vector<Configuration>& have) {
  std::vector<Probe> open;
  const std::size_t step = 1 + probes.sizes.size() / kMostSizes;
  for (const DeviceFacts& device : probes.devices) {
    for (std::size_t i = 0; i < probes.sizes.size(); i += step) {
      Probe probe{&device, NamesAt(study, device, probes.sizes[i])};
      const bool served = std::ranges::any_of(
          have, [&](const Configuration& one) { return serves(study, one, probe); });
      if (!served) open.push_back(std::move(probe));
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
          std::ranges::count_if(open, [&](Probe& p) { return serves(study, *one, p); }));
    }
    const Configuration& widest = *able[static_cast<std::size_t>(
        std::ranges::max_element(served) - served.begin())];  // the first of equals is the fastest
    std::erase_if(open, [&](Probe& probe) { return serves(study, widest, probe); });
    chosen.push_back(widest);
  }
  return chosen;
}

}  // namespace tuner
