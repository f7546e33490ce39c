#include "tuner/plugins/strategies/surrogate_forest.h"

#include <algorithm>

#include "tuner/plugins/strategies/targets.h"

namespace tuner::strategies {

SurrogateForest::SurrogateForest(const StrategySetup& setup)
    : history_(setup.space, setup.seed),
      moves_(setup.space),
      encoding_(moves_),
      rng_(setup.seed, 0xf0),
      source_(setup.space, mix64(setup.seed)),
      trees_(static_cast<std::size_t>(setup.options.integer("trees", 1, 1000))),
      leaf_(static_cast<std::size_t>(setup.options.integer("leaf", 1, 100))),
      kappa_(setup.options.number("kappa", 0, 100)),
      start_(static_cast<std::size_t>(setup.options.integer("start", 1, 100000))),
      pool_(static_cast<std::size_t>(setup.options.integer("pool", 10, 100000))) {}

std::vector<Index> SurrogateForest::ask(std::size_t count) {
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

void SurrogateForest::tell(const Observation& observation) { history_.record(observation); }

// New trees after every fiftieth part of the answers: growing them costs more than measuring by
// slightly older ones.
void SurrogateForest::rank_candidates() {
  const auto& entries = history_.entries();
  next_ranking_ = entries.size() + 1 + entries.size() / 50;
  const Eigen::VectorXf targets = targets_of(entries, {});
  std::vector<Point> points;
  std::vector<double> values;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    points.push_back(encoding_.point(moves_.space().positions(entries[i].index)));
    values.push_back(targets[static_cast<Eigen::Index>(i)]);
  }
  std::vector<bool> ordered;
  for (const std::uint32_t p : moves_.free_parameters())
    ordered.push_back(moves_.space().ordered(p));
  const Forest forest(points, values, ordered, trees_, leaf_, rng_);

  std::vector<std::pair<double, Index>> judged;
  for (const Index index : source_.gather(history_, pool_)) {
    const auto predicted = forest.predict(encoding_.point(moves_.space().positions(index)));
    judged.emplace_back(predicted.mean - kappa_ * predicted.deviation, index);
  }
  std::ranges::sort(judged, std::ranges::greater{});
  ranked_.clear();
  for (const auto& [merit, index] : judged) ranked_.push_back(index);
}

}  // namespace tuner::strategies
