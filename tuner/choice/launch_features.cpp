// Evaluates launches at a size and beside it.

#include "tuner/choice/launch_features.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

constexpr int kMostTwos = 8;                  // multiples of more than 256 are all alike
constexpr std::int64_t kManyTiles = 1290240;  // 4096 * 9 * 5 * 7: whole tiles of nearly any extent

// How a number that depends on the size grows with each dimension.
template <typename CountAt>
Tiles growth_of(const ProblemSize& size, const CountAt& count_at) {
  Tiles out;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    ProblemSize large = size;
    large.dims[d].second = (size.dims[d].second / kManyTiles + 1) * kManyTiles;
    ProblemSize twice = large;
    twice.dims[d].second *= 2;
    const double step = count_at(twice) - count_at(large);
    ProblemSize one = size;
    one.dims[d].second = 1;
    const double others = count_at(one);
    const bool grows = step > 0 && others > 0;
    out.tile.push_back(grows ? static_cast<double>(large.dims[d].second) * others / step : 0);
  }
  return out;
}

// As far as threads and dynamic shared memory say.
double resident_blocks(const LaunchGeometry& launch, const DeviceFacts& device) {
  const auto threads = static_cast<double>(launch.threads_per_block());
  double blocks = std::min(static_cast<double>(device.max_blocks_per_multiprocessor),
                           static_cast<double>(device.max_threads_per_multiprocessor) / threads);
  if (launch.dynamic_shared_bytes > 0) {
    blocks = std::min(blocks, static_cast<double>(device.shared_memory_per_multiprocessor) /
                                  static_cast<double>(launch.dynamic_shared_bytes));
  }
  return std::max(1.0, std::floor(blocks));
}

void add_launch(const LaunchGeometry& launch, const DeviceFacts& device, std::vector<double>& out) {
  const double blocks = blocks_of(launch);
  const double waves =
      blocks / (static_cast<double>(device.multiprocessors) * resident_blocks(launch, device));
  out.push_back(std::log2(blocks));
  out.push_back(std::log2(static_cast<double>(launch.threads_per_block())));
  out.push_back(std::log2(std::max(1.0, waves)));
  out.push_back(std::log2(std::ceil(waves) / waves));
}

// Numbers as logarithms, all else as the place among the values.
void add_parameters(const Study& study, const Configuration& configuration,
                    std::vector<double>& out) {
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const Parameter& parameter = study.parameters[p];
    if (parameter.ordered()) {
      const double number = to_number(configuration[p]);
      out.push_back(std::copysign(std::log2(1 + std::fabs(number)), number));
      continue;
    }
    for (const Value& value : parameter.values) out.push_back(configuration[p] == value ? 1 : 0);
  }
}

}  // namespace

double blocks_of(const LaunchGeometry& launch) {
  return static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
         static_cast<double>(launch.grid[2]);
}

double pieces_of(const Study& study, const Bindings& names) {
  if (study.work.empty()) {
    const auto launch = geometry(study.launch, names);
    return launch ? blocks_of(*launch) : 0;
  }
  const auto value = study.work.evaluate(names);
  return value ? std::max(0.0, to_number(*value)) : 0;
}

Tiles tiles_of(const Study& study, const Configuration& configuration, const DeviceFacts& device,
               const ProblemSize& size) {
  return growth_of(size, [&](const ProblemSize& other) {
    return pieces_of(study, bindings_of(study, configuration, device, other));
  });
}

Tiles tiles_of_grid(const Study& study, const Configuration& configuration,
                    const DeviceFacts& device, const ProblemSize& size) {
  return growth_of(size, [&](const ProblemSize& other) {
    const auto launch = geometry(study.launch, bindings_of(study, configuration, device, other));
    return launch ? blocks_of(*launch) : 0;
  });
}

double waste_of(double tile, std::int64_t extent) {
  if (tile <= 1) return 0;
  const double tiles = static_cast<double>(extent) / tile;
  return std::log2(std::ceil(tiles) / tiles);
}

std::vector<double> launch_features(const Study& study, const Configuration& configuration,
                                    const DeviceFacts& device, const ProblemSize& size) {
  std::vector<double> out;
  for (const auto& [name, extent] : size.dims) {
    out.push_back(std::log2(static_cast<double>(extent)));
    out.push_back(std::min(kMostTwos, std::countr_zero(static_cast<std::uint64_t>(extent))));
  }
  const auto launch = geometry(study.launch, bindings_of(study, configuration, device, size));
  if (launch) {
    add_launch(*launch, device, out);
  } else {
    out.insert(out.end(), 4, 0.0);
  }
  const Tiles tiles = tiles_of(study, configuration, device, size);
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    out.push_back(waste_of(tiles.tile[d], size.dims[d].second));
  }
  add_parameters(study, configuration, out);
  return out;
}

}  // namespace tuner
