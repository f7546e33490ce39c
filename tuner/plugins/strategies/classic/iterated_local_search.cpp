// Iterated local search (Lourenço, Martin and Stützle 2003): descend, then kick the best and
// descend again.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class IteratedLocalSearch : public Walkers {
 public:
  static constexpr const char* kName = "iterated_local_search";
  static constexpr const char* kSummary = "first-improvement descent, then a kick from the best";
  static constexpr tuner_option_info kOptions[] = {
      {"kick", "2", "parameters that a kick changes (1 to 100)", "integer 1..100"},
      {"patience", "5", "descents without a better result before a new start (1 to 1000000)",
       "integer 1..1000000"},
      {"neighbourhood", "adjacent", "adjacent or hamming", "one of adjacent, hamming"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;

  std::size_t kick_ = option<std::size_t>("kick");
  int patience_ = option<int>("patience");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

Walk IteratedLocalSearch::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.sensible(1);
  if (first.empty()) co_return;
  Index at = first.front();
  double value = co_await guide.measure(at);
  Index best = at;
  double best_value = value;
  for (int failures = 0; failures < patience_; ++failures) {
    std::vector<Index> near = moves().space().neighbours(at, kind_);
    rng.shuffle(near);
    while (!near.empty()) {
      const Index next = near.back();
      near.pop_back();
      const double next_value = co_await guide.measure(next);
      if (next_value >= value) continue;
      at = next;
      value = next_value;
      near = moves().space().neighbours(at, kind_);
      rng.shuffle(near);
    }
    if (value < best_value) {
      best = at;
      best_value = value;
      failures = -1;
    }
    at = moves().kick(best, kick_, rng);
    value = co_await guide.measure(at);
  }
}

}  // namespace

extern constexpr Registration kIteratedLocalSearch = registration_of<IteratedLocalSearch>();

}  // namespace tuner::strategies
