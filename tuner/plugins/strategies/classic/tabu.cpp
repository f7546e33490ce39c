// Tabu search (Glover 1989): always to the best of a few neighbours, never back to one that was
// left lately.

#include <algorithm>
#include <deque>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class Tabu : public Walkers {
 public:
  static constexpr const char* kName = "tabu";
  static constexpr const char* kSummary =
      "the best of a few neighbours, never one that was left lately";
  static constexpr tuner_option_info kOptions[] = {
      {"candidates", "6", "neighbours measured for each step (1 to 1000)", "integer 1..1000"},
      {"tenure", "20", "steps for which a configuration stays forbidden (1 to 1000000)",
       "integer 1..1000000"},
      {"patience", "10", "steps without a new best before a new start (1 to 1000000)",
       "integer 1..1000000"},
      {"neighbourhood", "hamming", "adjacent or hamming", "one of adjacent, hamming"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;

  std::size_t candidates_ = option<std::size_t>("candidates");
  std::size_t tenure_ = option<std::size_t>("tenure");
  int patience_ = option<int>("patience");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

Walk Tabu::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.sensible(1);
  if (first.empty()) co_return;
  Index at = first.front();
  double best_value = co_await guide.measure(at);
  std::deque<Index> forbidden{at};
  for (int failures = 0; failures < patience_; ++failures) {
    std::vector<Index> near = moves().space().neighbours(at, kind_);
    std::erase_if(
        near, [&](Index index) { return std::ranges::find(forbidden, index) != forbidden.end(); });
    if (near.empty()) co_return;
    rng.shuffle(near);
    near.resize(std::min(near.size(), candidates_));
    const std::vector<double> values = co_await guide.measure_all(near);
    const auto best = std::ranges::min_element(values);
    at = near[static_cast<std::size_t>(best - values.begin())];
    if (*best < best_value) {
      best_value = *best;
      failures = -1;
    }
    forbidden.push_back(at);
    if (forbidden.size() > tenure_) forbidden.pop_front();
  }
}

}  // namespace

extern constexpr Registration kTabu = registration_of<Tabu>();

}  // namespace tuner::strategies
