// Variable neighbourhoods with a nearest-neighbour prediction, a tabu list and annealing (the idea
// of HybridVNDX).

#include <algorithm>
#include <deque>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/classic/walker.h"

namespace tuner::strategies {
namespace {

class HybridVndx : public Walkers {
 public:
  static constexpr const char* kName = "hybrid_vndx";
  static constexpr const char* kSummary =
      "the best predicted of a few candidates from several neighbourhoods, accepted as in "
      "annealing";
  static constexpr tuner_option_info kOptions[] = {
      {"pool", "8", "candidates predicted for each measurement (2 to 1000)", "integer 2..1000"},
      {"nearest", "5", "measured configurations that a prediction averages (1 to 100)",
       "integer 1..100"},
      {"elite", "5", "best ones that crossovers take parents from (2 to 100)", "integer 2..100"},
      {"tabu", "300", "configurations that are not walked to again (0 to 1000000)",
       "integer 0..1000000"},
      {"start", "1.0", "first temperature, in units of median minus best (0 to 100)",
       "number 0..100"},
      {"cooling", "0.995", "factor for each step (0.5 to 0.99999)", "number 0.5..0.99999"},
      {"patience", "100", "steps without a new best before a new start (1 to 1000000)",
       "integer 1..1000000"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override {
    const std::vector<Index> first = guide.sensible(1);
    if (first.empty()) co_return;
    Member at = co_await guide.measure(first.front());
    double best = at.value;
    double temperature = start_;
    std::deque<Index> forbidden;
    for (int failures = 0; failures < patience_; ++failures, temperature *= cooling_) {
      std::vector<Index> pool = candidates(guide, at.index);
      std::erase_if(pool, [&](Index index) {
        return guide.history().seen(index) ||
               std::ranges::find(forbidden, index) != forbidden.end();
      });
      if (pool.empty()) {
        pool = guide.fresh(1);
        if (pool.empty()) co_return;
      }
      std::vector<double> predicted;
      for (const Index index : pool) predicted.push_back(predict(guide.history(), index));
      const auto chosen = std::ranges::min_element(predicted) - predicted.begin();
      const Member next = co_await guide.measure(pool[static_cast<std::size_t>(chosen)]);
      forbidden.push_back(next.index);
      if (forbidden.size() > tabu_) forbidden.pop_front();
      if (guide.accepts(next.value - at.value, temperature)) at = next;
      if (next.value < best) {
        best = next.value;
        failures = -1;
      }
    }
  }

  // Neighbours of three kinds (a step, another value, two other values), a crossover of good ones,
  // and a random one.
  std::vector<Index> candidates(Guide& guide, Index at) const {
    Rng& rng = guide.rng();
    std::vector<Index> out;
    while (out.size() + 2 < pool_) {
      const std::size_t kind = rng.below(3);
      if (kind == 2) {
        out.push_back(moves().kick(at, 2, rng));
      } else {
        const auto next =
            moves().random_neighbour(at, kind == 0 ? TUNER_ADJACENT : TUNER_HAMMING, rng);
        out.push_back(next ? *next : moves().kick(at, 3, rng));
      }
    }
    std::vector<History::Entry> good(guide.history().entries());
    const auto end = good.begin() + static_cast<std::ptrdiff_t>(std::min(elite_, good.size()));
    std::partial_sort(good.begin(), end, good.end(),
                      [](const auto& a, const auto& b) { return a.value < b.value; });
    good.erase(end, good.end());
    const Index a = rng.pick(good).index;
    const Index b = rng.pick(good).index;
    out.push_back(moves().repair(
        moves().uniform_crossover(moves().space().positions(a), moves().space().positions(b), rng),
        a, rng));
    out.push_back(moves().kick(at, moves().free_parameters().size(), rng));
    return out;
  }

  double predict(const History& history, Index index) const {
    const Positions at = moves().space().positions(index);
    std::vector<std::pair<std::size_t, double>> near;
    for (const auto& entry : history.entries()) {
      near.emplace_back(hamming_distance(at, moves().space().positions(entry.index)), entry.value);
    }
    const auto end = near.begin() + static_cast<std::ptrdiff_t>(std::min(nearest_, near.size()));
    std::partial_sort(near.begin(), end, near.end());
    double total = 0;
    for (auto it = near.begin(); it != end; ++it) total += it->second;
    return total;
  }

  std::size_t pool_ = option<std::size_t>("pool");
  std::size_t nearest_ = option<std::size_t>("nearest");
  std::size_t elite_ = option<std::size_t>("elite");
  std::size_t tabu_ = option<std::size_t>("tabu");
  double start_ = option<double>("start");
  double cooling_ = option<double>("cooling");
  int patience_ = option<int>("patience");
};

}  // namespace

extern constexpr Registration kHybridVndx = registration_of<HybridVndx>();

}  // namespace tuner::strategies
