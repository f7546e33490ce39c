// Grows the trees and shuffles the features.

#include "tuner/report/forest.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <utility>

namespace tuner {
namespace {

using Rows = std::vector<std::uint32_t>;
using Random = std::mt19937_64;

constexpr int kTrees = 48;
constexpr std::size_t kFewestRows = 20;
constexpr std::size_t kMostRows = 4000;
constexpr std::size_t kSmallestLeaf = 3;
constexpr int kDeepest = 24;

// The library's distributions differ between implementations; a slight bias does no harm here.
std::size_t below(Random& random, std::size_t n) { return random() % n; }

void shuffle(Random& random, Rows& rows) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[below(random, i)]);
}

struct Node {
  int feature = -1;  // -1: a leaf
  std::uint16_t at_most = 0;
  std::uint32_t left = 0, right = 0;
  double mean = 0;
};

struct Split {
  int feature = -1;
  std::uint16_t at_most = 0;
  double gain = 0;
};

class Tree {
 public:
  Tree(const Observations& data, std::span<const std::uint32_t> bag, Random& random)
      : data_(data), random_(random), rows_(bag.begin(), bag.end()) {
    grow(0, rows_.size(), 0);
  }

  // `stand_in` gives the row whose value of `shuffled` is looked at instead.
  double predict(std::uint32_t row, int shuffled = -1, std::uint32_t stand_in = 0) const {
    std::uint32_t at = 0;
    while (nodes_[at].feature >= 0) {
      const Node& node = nodes_[at];
      const std::uint32_t from = node.feature == shuffled ? stand_in : row;
      const auto& codes = data_.codes[static_cast<std::size_t>(node.feature)];
      at = codes[from] <= node.at_most ? node.left : node.right;
    }
    return nodes_[at].mean;
  }

  bool uses(int feature) const {
    return std::ranges::any_of(nodes_, [&](const Node& node) { return node.feature == feature; });
  }

 private:
  std::uint32_t grow(std::size_t begin, std::size_t end, int depth) {
    const auto self = static_cast<std::uint32_t>(nodes_.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += data_.y[rows_[i]];
    nodes_.push_back({-1, 0, 0, 0, sum / static_cast<double>(end - begin)});
    if (depth >= kDeepest || end - begin < 2 * kSmallestLeaf) return self;
    const Split split = best_split(begin, end, sum);
    if (split.feature < 0) return self;
    const auto& codes = data_.codes[static_cast<std::size_t>(split.feature)];
    const auto middle =
        std::partition(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                       rows_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](std::uint32_t row) { return codes[row] <= split.at_most; });
    const auto cut = static_cast<std::size_t>(middle - rows_.begin());
    const std::uint32_t left = grow(begin, cut, depth + 1);
    const std::uint32_t right = grow(cut, end, depth + 1);
    nodes_[self].feature = split.feature;
    nodes_[self].at_most = split.at_most;
    nodes_[self].left = left;
    nodes_[self].right = right;
    return self;
  }

  // Finds the best split by a third of the features, drawn anew for each node.
  Split best_split(std::size_t begin, std::size_t end, double sum) {
    std::vector<int> features(data_.codes.size());
    std::iota(features.begin(), features.end(), 0);
    const std::size_t tried = (features.size() + 2) / 3;
    Split best;
    best.gain = 1e-12;
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (i >= tried && best.feature >= 0) break;
      std::swap(features[i], features[i + below(random_, features.size() - i)]);
      consider(features[i], begin, end, sum, best);
    }
    return best;
  }

  void consider(int feature, std::size_t begin, std::size_t end, double sum, Split& best) {
    const auto& codes = data_.codes[static_cast<std::size_t>(feature)];
    bins_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint16_t code = codes[rows_[i]];
      if (code >= bins_.size()) bins_.resize(code + std::size_t{1});
      bins_[code].first += data_.y[rows_[i]];
      ++bins_[code].second;
    }
    const auto all = static_cast<double>(end - begin);
    double left_sum = 0;
    std::size_t left = 0;
    for (std::size_t code = 0; code + 1 < bins_.size(); ++code) {
      if (bins_[code].second == 0) continue;
      left_sum += bins_[code].first;
      left += bins_[code].second;
      const std::size_t right = end - begin - left;
      if (left < kSmallestLeaf || right < kSmallestLeaf) continue;
      const double right_sum = sum - left_sum;
      const double gain = left_sum * left_sum / static_cast<double>(left) +
                          right_sum * right_sum / static_cast<double>(right) - sum * sum / all;
      if (gain > best.gain) best = {feature, static_cast<std::uint16_t>(code), gain};
    }
  }

  const Observations& data_;
  Random& random_;
  Rows rows_;
  std::vector<Node> nodes_;
  std::vector<std::pair<double, std::size_t>> bins_;
};

double variance_of(const std::vector<double>& y, const Rows& rows) {
  double mean = 0;
  for (const std::uint32_t row : rows) mean += y[row] / static_cast<double>(rows.size());
  double sum = 0;
  for (const std::uint32_t row : rows) sum += (y[row] - mean) * (y[row] - mean);
  return sum / static_cast<double>(rows.size());
}

// Rows that a bag has not drawn.
Rows draw_bag(const Rows& rows, Random& random, Rows& bag) {
  std::vector<bool> drawn(rows.size());
  bag.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t at = below(random, rows.size());
    drawn[at] = true;
    bag.push_back(rows[at]);
  }
  Rows left_out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!drawn[i]) left_out.push_back(rows[i]);
  }
  return left_out;
}

double squared_error(const Tree& tree, const Observations& data, const Rows& rows,
                     int shuffled = -1, const Rows& stand_ins = {}) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t stand_in = shuffled < 0 ? 0 : stand_ins[i];
    const double error = tree.predict(rows[i], shuffled, stand_in) - data.y[rows[i]];
    sum += error * error;
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace

Importance permutation_importance(const Observations& observations, std::uint64_t seed) {
  Importance out;
  out.features.resize(observations.codes.size());
  Random random(seed);
  Rows rows(observations.y.size());
  std::iota(rows.begin(), rows.end(), 0U);
  if (rows.size() > kMostRows) {
    shuffle(random, rows);
    rows.resize(kMostRows);
  }
  out.rows = rows.size();
  if (rows.size() < kFewestRows || observations.codes.empty()) return out;
  const double variance = variance_of(observations.y, rows);
  if (!(variance > 1e-18)) return out;
  std::vector<double> predicted(observations.y.size());
  std::vector<int> predictions(observations.y.size());
  Rows bag;
  for (int t = 0; t < kTrees; ++t) {
    const Rows left_out = draw_bag(rows, random, bag);
    const Tree tree(observations, bag, random);
    if (left_out.empty()) continue;
    for (const std::uint32_t row : left_out) {
      predicted[row] += tree.predict(row);
      ++predictions[row];
    }
    const double before = squared_error(tree, observations, left_out);
    Rows shuffled = left_out;
    shuffle(random, shuffled);
    for (std::size_t f = 0; f < observations.codes.size(); ++f) {
      if (!tree.uses(static_cast<int>(f))) continue;
      const double after =
          squared_error(tree, observations, left_out, static_cast<int>(f), shuffled);
      out.features[f] += (after - before) / variance / kTrees;
    }
  }
  double error = 0;
  double known = 0;
  for (const std::uint32_t row : rows) {
    if (predictions[row] == 0) continue;
    const double off = predicted[row] / predictions[row] - observations.y[row];
    error += off * off;
    ++known;
  }
  out.explained = known > 0 ? 1 - error / known / variance : 0;
  return out;
}

}  // namespace tuner
