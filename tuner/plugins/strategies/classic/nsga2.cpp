// NSGA-II (Deb, Pratap, Agarwal and Meyarivan 2002): several objectives at once.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/classic/walker.h"
#include "tuner/plugins/strategies/parts/pareto.h"

namespace tuner::strategies {
namespace {

// Places of `indices` from the best front to the worst, the lonely before the crowded.
std::vector<Index> by_dominance(const History& history, const std::vector<Index>& indices) {
  std::vector<Objectives> points;
  for (const Index index : indices) points.push_back(history.find(index)->objectives);
  const auto fronts = front_of(points);
  const auto distance = crowding(points, fronts);
  std::vector<Index> out;
  for (const std::size_t place : places_by(
           indices.size(), [&](std::size_t i) { return std::pair(fronts[i], -distance[i]); })) {
    out.push_back(indices[place]);
  }
  return out;
}

class Nsga2 : public Walkers {
 public:
  static constexpr const char* kName = "nsga2";
  static constexpr const char* kSummary =
      "several objectives: generations sorted by dominance, then by crowding";
  static constexpr tuner_option_info kOptions[] = {
      {"population", "24", "configurations in a generation (4 to 10000)", "integer 4..10000"},
      {"mutation", "0.1", "chance that a parameter changes (0 to 1)", "number 0..1"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    std::vector<Index> members = guide.fresh(population_);
    co_await guide.measure_all(members);
    while (members.size() > 1) {
      members = by_dominance(guide.history(), members);
      std::vector<Index> children;
      while (children.size() < population_) {
        // Sorted best first: the smaller of two random places wins the tournament.
        const auto parent = [&] {
          return members[std::min(rng.below(members.size()), rng.below(members.size()))];
        };
        const Index a = parent();
        Positions child = moves().uniform_crossover(moves().space().positions(a),
                                                    moves().space().positions(parent()), rng);
        moves().mutate(child, mutation_, rng);
        children.push_back(moves().repair(std::move(child), a, rng));
      }
      co_await guide.measure_all(children);
      for (const Index child : children) {
        if (std::ranges::find(members, child) == members.end()) members.push_back(child);
      }
      members = by_dominance(guide.history(), members);
      members.resize(std::min(members.size(), population_));
    }
  }

  std::size_t population_ = option<std::size_t>("population");
  double mutation_ = option<double>("mutation");
};

}  // namespace

extern constexpr Registration kNsga2 = registration_of<Nsga2>();

}  // namespace tuner::strategies
