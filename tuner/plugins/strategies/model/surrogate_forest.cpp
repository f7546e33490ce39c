// Search by a forest of randomised trees (forest.h): a cheap model that needs no distances.

#include <algorithm>
#include <memory>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/model/encoding.h"
#include "tuner/plugins/strategies/model/forest.h"
#include "tuner/plugins/strategies/parts/candidates.h"
#include "tuner/plugins/strategies/parts/history.h"

namespace tuner::strategies {
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
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

 private:
  void rank_candidates();

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

}  // namespace

extern constexpr Registration kSurrogateForest = registration_of<SurrogateForest>();

}  // namespace tuner::strategies
