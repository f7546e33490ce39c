// Finds sizes at which kernels go wrong, and small ones for tools that are slow.

#include <algorithm>
#include <set>

#include "tuner/check/size_check.h"
#include "tuner/trust/judge.h"

namespace tuner {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;  // of an extent

// Whether the study's domain, if it has one, holds the size, and its expressions have values there.
bool allows(const Study& study, const ProblemSize& size) {
  if (!check_size(study, size).empty()) return false;
  if (!study.domain) return true;
  const SizeDomain& domain = *study.domain;
  Bindings names;
  for (std::size_t i = 0; i < size.dims.size(); ++i) {
    const auto& [name, extent] = size.dims[i];
    const ExtentRange& range = domain.extents.at(i);
    if (extent < range.low || extent > range.high) return false;
    names[name] = extent;
  }
  return std::ranges::any_of(domain.kinds, [&](const SizeKind& kind) {
    if (kind.rule.empty()) return true;
    const auto value = kind.rule.evaluate(names);
    return value && truth(*value);
  });
}

}  // namespace

std::vector<ProblemSize> sizes_at_the_edge(const Study& study, const ProblemSize& size,
                                           const LaunchGeometry& geometry) {
  std::vector<ProblemSize> sizes;
  const auto add = [&](const ProblemSize& one) {
    if (one == size || std::ranges::find(sizes, one) != sizes.end()) return;
    if (allows(study, one)) sizes.push_back(one);
  };
  ProblemSize ones = size;
  ProblemSize odd = size;
  ProblemSize large = size;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    ones.dims[d].second = 1;
    odd.dims[d].second = std::max<std::int64_t>(1, extent % 2 == 0 ? extent - 1 : extent - 2);
    if (2 * extent + 1 <= kMostElements && d == 0) large.dims[d].second = 2 * extent + 1;
  }
  add(ones);
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    std::set<std::int64_t> extents{1, odd.dims[d].second};
    std::set<std::int64_t> tiles{static_cast<std::int64_t>(geometry.threads_per_block())};
    for (const std::int64_t blocks : geometry.grid) {
      if (blocks > 1) tiles.insert((size.dims[d].second + blocks - 1) / blocks);
    }
    for (const std::int64_t tile : tiles) {
      if (tile > 1) extents.insert({tile - 1, tile + 1});
    }
    for (const std::int64_t extent : extents) {
      ProblemSize one = size;
      one.dims[d].second = extent;
      add(one);
    }
  }
  add(odd);
  add(large);
  return sizes;
}

std::vector<ProblemSize> smaller_sizes(const Study& study, const ProblemSize& size) {
  constexpr std::int64_t kLeast = 512;
  constexpr int kMostHalvings = 16;
  std::vector<ProblemSize> sizes;
  for (int halvings = kMostHalvings; halvings > 0; --halvings) {
    ProblemSize one = size;
    for (auto& [name, extent] : one.dims) {
      extent = std::max(extent >> halvings, std::min(extent, kLeast));
    }
    if (allows(study, one)) sizes.push_back(std::move(one));
  }
  return sizes;
}

}  // namespace tuner
