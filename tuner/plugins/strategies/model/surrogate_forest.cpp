// Search by a forest of randomised trees: a cheap model that needs no distances.

#include "tuner/plugins/strategies/model/surrogate_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/model/encoding.h"
#include "tuner/plugins/strategies/parts/candidates.h"
#include "tuner/plugins/strategies/parts/history.h"

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

// ---- the strategy -------------------------------------------------------------------------------

namespace {

class SurrogateForest : public sdk::Strategy {
 public:
  static constexpr const char* kName = "surrogate_forest";
  static constexpr const char* kSummary = "randomised trees say what to measure next";
  static constexpr tuner_option_info kOptions[] = {
      {"trees", "30", "how many (1 to 1000)", "integer 1..1000"},
      {"leaf", "1", "smallest number of measurements in a leaf (1 to 100)", "integer 1..100"},
      {"kappa", "1.0", "deviations between the trees that are subtracted (0 to 100)",
       "number 0..100"},
      {"start", "10", "random configurations before the trees are used (1 to 100000)",
       "integer 1..100000"},
      {"pool", "500", "candidates that the trees judge (10 to 100000)", "integer 10..100000"}};

  explicit SurrogateForest(const StrategySetup& setup);
  std::vector<Index> ask(std::size_t count) override {
    std::vector<Index> out;
    while (out.size() < count) {
      const std::size_t answers = history_.entries().size();
      std::optional<Index> index;
      if (answers >= start_) {
        if (answers >= next_ranking_ || ranked_.empty()) rank_candidates();
        while (!ranked_.empty() && history_.seen(ranked_.back())) ranked_.pop_back();
        if (!ranked_.empty()) index = ranked_.back();
      }
      if (!index) index = history_.fresh();
      if (!index) break;
      history_.claim(*index);
      out.push_back(*index);
    }
    return out;
  }

  void tell(const Observation& observation) override;

 private:
  // New trees after every fiftieth part of the answers: growing them costs more than measuring by
  // slightly older ones.
  void rank_candidates() {
    const auto& entries = history_.entries();
    next_ranking_ = entries.size() + 1 + entries.size() / 50;
    const Eigen::VectorXf targets = targets_of(entries, {});
    std::vector<Point> points;
    std::vector<double> values;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      points.push_back(encoding_.point(entries[i].index));
      values.push_back(targets[static_cast<Eigen::Index>(i)]);
    }
    std::vector<bool> ordered;
    for (const std::uint32_t p : moves_.free_parameters())
      ordered.push_back(moves_.space().ordered(p));
    const Forest forest(points, values, ordered, trees_, leaf_, rng_);

    std::vector<std::pair<double, Index>> judged;
    for (const Index index : source_.gather(history_, pool_)) {
      const auto predicted = forest.predict(encoding_.point(index));
      judged.emplace_back(predicted.mean - kappa_ * predicted.deviation, index);
    }
    std::ranges::sort(judged, std::ranges::greater{});
    ranked_.clear();
    for (const auto& [merit, index] : judged) ranked_.push_back(index);
  }

  History history_;
  Moves moves_;
  Encoding encoding_;
  Rng rng_;
  CandidateSource source_;
  std::size_t trees_;
  std::size_t leaf_;
  double kappa_;
  std::size_t start_;
  std::size_t pool_;
  std::vector<Index> ranked_;     // the most promising last
  std::size_t next_ranking_ = 0;  // number of answers at which the trees are grown anew
};

SurrogateForest::SurrogateForest(const StrategySetup& setup)
    : history_(setup.space, setup.seed),
      moves_(setup.space),
      encoding_(moves_),
      rng_(setup.seed, 0xf0),
      source_(setup.space, mix64(setup.seed)),
      trees_(setup.options.get<std::size_t>("trees")),
      leaf_(setup.options.get<std::size_t>("leaf")),
      kappa_(setup.options.get<double>("kappa")),
      start_(setup.options.get<std::size_t>("start")),
      pool_(setup.options.get<std::size_t>("pool")) {}

void SurrogateForest::tell(const Observation& observation) { history_.record(observation); }

}  // namespace

extern constexpr Registration kSurrogateForest = registration_of<SurrogateForest>();

}  // namespace tuner::strategies
