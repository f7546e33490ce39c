// Growing and asking extremely randomised trees (forest.h).

#include "tuner/plugins/strategies/model/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace tuner::strategies {

struct Forest::Builder {
  const std::vector<Point>& points;
  const std::vector<double>& values;
  const std::vector<bool>& ordered;
  std::size_t smallest_leaf;
  Rng& rng;
  std::vector<Node>& nodes;

  using Range = std::span<std::uint32_t>;

  static bool goes_left(const Node& node, const Point& point) {
    const std::uint8_t place = point[node.parameter];
    return node.ordered ? place < node.place : place == node.place;
  }

  // A random split of one parameter; empty when all points agree on it.
  std::optional<Node> random_split(Range range, std::uint32_t parameter) const {
    std::uint8_t low = 255;
    std::uint8_t high = 0;
    for (const std::uint32_t i : range) {
      low = std::min(low, points[i][parameter]);
      high = std::max(high, points[i][parameter]);
    }
    if (low == high) return std::nullopt;
    Node node;
    node.parameter = parameter;
    node.ordered = ordered[parameter];
    node.place = node.ordered ? static_cast<std::uint8_t>(low + 1 + rng.below(high - low))
                              : points[range[rng.below(range.size())]][parameter];
    return node;
  }

  // How much of the variance a split explains, up to a constant: the sum of squares about the means
  // is that of the squares, which no split changes, less sum^2 / count of either side.
  double gain(Range range, const Node& node) const {
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};
    for (const std::uint32_t i : range) {
      const std::size_t side = goes_left(node, points[i]) ? 0 : 1;
      sums[side] += values[i];
      counts[side] += 1;
    }
    if (counts[0] == 0 || counts[1] == 0) return -1;
    return sums[0] * sums[0] / counts[0] + sums[1] * sums[1] / counts[1];
  }

  // One random split for each parameter, of which the best is taken: trees differ without
  // resampling.
  std::uint32_t grow(Range range) {
    const auto at = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back();
    double total = 0;
    for (const std::uint32_t i : range) total += values[i];
    nodes[at].value = total / static_cast<double>(range.size());
    if (range.size() < 2 * smallest_leaf) return at;

    std::optional<Node> best;
    double most = -1;
    for (std::uint32_t p = 0; p < ordered.size(); ++p) {
      const auto node = random_split(range, p);
      const double explained = node ? gain(range, *node) : -1;
      if (explained <= most) continue;
      most = explained;
      best = node;
    }
    if (!best) return at;
    const auto middle = std::partition(
        range.begin(), range.end(), [&](std::uint32_t i) { return goes_left(*best, points[i]); });
    const auto size = static_cast<std::size_t>(middle - range.begin());
    best->value = nodes[at].value;
    best->left = grow(range.first(size));
    best->right = grow(range.subspan(size));
    nodes[at] = *best;
    return at;
  }
};

Forest::Forest(const std::vector<Point>& points, const std::vector<double>& values,
               const std::vector<bool>& ordered, std::size_t trees, std::size_t smallest_leaf,
               Rng& rng) {
  Builder builder{points, values, ordered, smallest_leaf, rng, nodes_};
  for (std::size_t t = 0; t < trees; ++t) {
    std::vector<std::uint32_t> all(points.size());
    std::iota(all.begin(), all.end(), 0U);
    roots_.push_back(builder.grow(all));
  }
}

Forest::Prediction Forest::predict(const Point& point) const {
  double sum = 0;
  double squares = 0;
  for (std::uint32_t at : roots_) {
    while (nodes_[at].left != 0) {
      at = Builder::goes_left(nodes_[at], point) ? nodes_[at].left : nodes_[at].right;
    }
    sum += nodes_[at].value;
    squares += nodes_[at].value * nodes_[at].value;
  }
  const double count = static_cast<double>(roots_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace tuner::strategies
