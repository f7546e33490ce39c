#include "benchmarks/strategies/curves.h"

#include <algorithm>
#include <cmath>

namespace tuner::bench {
namespace {

double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  if (d0 * d1 < 0 && std::abs(slope) > 3 * std::abs(d0)) return 3 * d0;
  return slope;
}

struct Block {
  double level = 0;
  double weight = 0;
  std::size_t size = 0;
};

// Piecewise linear through (x, y), constant outside; `at` rises.
std::vector<double> interpolate(const std::vector<double>& x, const std::vector<double>& y,
                                std::span<const double> at) {
  std::vector<double> out;
  std::size_t k = 0;
  for (const double t : at) {
    while (k + 1 < x.size() && x[k + 1] <= t) ++k;
    if (t <= x.front() || k + 1 == x.size()) {
      out.push_back(t <= x.front() ? y.front() : y.back());
    } else {
      out.push_back(y[k] + (y[k + 1] - y[k]) * (t - x[k]) / (x[k + 1] - x[k]));
    }
  }
  return out;
}

}  // namespace

std::vector<double> evenly_spaced(double first, double last, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(first + (last - first) * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return out;
}

std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                   std::span<const double> at) {
  const std::size_t n = x.size();
  std::vector<double> h(n - 1);
  std::vector<double> d(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x[i + 1] - x[i];
    d[i] = (y[i + 1] - y[i]) / h[i];
  }
  std::vector<double> slope(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (d[i - 1] * d[i] <= 0) continue;
    const double w1 = 2 * h[i] + h[i - 1];
    const double w2 = h[i] + 2 * h[i - 1];
    slope[i] = (w1 + w2) / (w1 / d[i - 1] + w2 / d[i]);
  }
  slope.front() = end_slope(h[0], h[1], d[0], d[1]);
  slope.back() = end_slope(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);

  std::vector<double> out;
  for (const double t : at) {
    const auto above = std::ranges::upper_bound(x, t) - x.begin();
    const auto k = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(n) - 2));
    const double u = (t - x[k]) / h[k];
    const double v = 1 - u;
    out.push_back((1 + 2 * u) * v * v * y[k] + u * v * v * h[k] * slope[k] +
                  u * u * (3 - 2 * u) * y[k + 1] - u * u * v * h[k] * slope[k + 1]);
  }
  return out;
}

std::vector<double> falling_fit(std::vector<RankAtTime> points, std::span<const double> at) {
  std::ranges::sort(points, {}, &RankAtTime::seconds);
  std::vector<double> x;
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < points.size();) {
    Block block{0, 0, 1};
    const double seconds = points[i].seconds;
    for (; i < points.size() && points[i].seconds == seconds; ++i, block.weight += 1) {
      block.level += points[i].rank;
    }
    block.level /= block.weight;
    x.push_back(seconds);
    while (!blocks.empty() && blocks.back().level <= block.level) {
      const Block& before = blocks.back();
      const double weight = block.weight + before.weight;
      block.level = (block.level * block.weight + before.level * before.weight) / weight;
      block.weight = weight;
      block.size += before.size;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> y;
  for (const Block& block : blocks) y.insert(y.end(), block.size, block.level);
  return interpolate(x, y, at);
}

}  // namespace tuner::bench
