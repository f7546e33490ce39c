// Strategies of one walker, which goes from one configuration to the next.

#include <algorithm>
#include <deque>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/classic/walker.h"

namespace tuner::strategies {
namespace {

// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): one walk through neighbours.
class SimulatedAnnealing : public Walkers {
 public:
  static constexpr const char* kName = "simulated_annealing";
  static constexpr const char* kSummary =
      "one walker that accepts worse neighbours ever more rarely";
  static constexpr tuner_option_info kOptions[] = {
      {"start", "0.1", "first temperature, in units of median minus best (0 to 100)",
       "number 0..100"},
      {"end", "0.002", "last temperature; the walk then starts anew (1e-9 to 100)",
       "number 1e-9..100"},
      {"cooling", "0.98", "factor for each step (0.5 to 0.99999)", "number 0.5..0.99999"},
      {"neighbourhood", "hamming", "adjacent or hamming", "one of adjacent, hamming"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    const std::vector<Index> first = guide.sensible(1);
    if (first.empty()) co_return;
    Member at = co_await guide.measure(first.front());
    for (double temperature = start_; temperature > end_; temperature *= cooling_) {
      const auto index = moves().random_neighbour(at.index, kind_, rng);
      if (!index) co_return;
      const Member next = co_await guide.measure(*index);
      if (guide.accepts(next.value - at.value, temperature)) at = next;
    }
  }

  double start_ = option<double>("start");
  double end_ = option<double>("end");
  double cooling_ = option<double>("cooling");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

// Iterated local search (Lourenço, Martin and Stützle 2003): descend, then kick the best and
// descend again.
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
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    const std::vector<Index> first = guide.sensible(1);
    if (first.empty()) co_return;
    Member at = co_await guide.measure(first.front());
    Member best = at;
    for (int failures = 0; failures < patience_; ++failures) {
      std::vector<Index> near = moves().space().neighbours(at.index, kind_);
      rng.shuffle(near);
      while (!near.empty()) {
        const Member next = co_await guide.measure(near.back());
        near.pop_back();
        if (next.value >= at.value) continue;
        at = next;
        near = moves().space().neighbours(at.index, kind_);
        rng.shuffle(near);
      }
      if (at.value < best.value) {
        best = at;
        failures = -1;
      }
      at = co_await guide.measure(moves().kick(best.index, kick_, rng));
    }
  }

  std::size_t kick_ = option<std::size_t>("kick");
  int patience_ = option<int>("patience");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

// Tabu search (Glover 1989): always to the best of a few neighbours, never back to one that was
// left lately.
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
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    const std::vector<Index> first = guide.sensible(1);
    if (first.empty()) co_return;
    Index at = first.front();
    double best_value = (co_await guide.measure(at)).value;
    std::deque<Index> forbidden{at};
    for (int failures = 0; failures < patience_; ++failures) {
      std::vector<Index> near = moves().space().neighbours(at, kind_);
      std::erase_if(near, [&](Index index) {
        return std::ranges::find(forbidden, index) != forbidden.end();
      });
      if (near.empty()) co_return;
      rng.shuffle(near);
      near.resize(std::min(near.size(), candidates_));
      const Population measured = co_await guide.measure_all(near);
      const Member& best = best_of(measured);
      at = best.index;
      if (best.value < best_value) {
        best_value = best.value;
        failures = -1;
      }
      forbidden.push_back(at);
      if (forbidden.size() > tenure_) forbidden.pop_front();
    }
  }

  std::size_t candidates_ = option<std::size_t>("candidates");
  std::size_t tenure_ = option<std::size_t>("tenure");
  int patience_ = option<int>("patience");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

// Basin hopping (Wales and Doye 1997): descents to local optima, joined by hops as in annealing.
class BasinHopping : public Walkers {
 public:
  static constexpr const char* kName = "basin_hopping";
  static constexpr const char* kSummary =
      "descents joined by random hops that are accepted as in annealing";
  static constexpr tuner_option_info kOptions[] = {
      {"hop", "3", "parameters that a hop changes (1 to 100)", "integer 1..100"},
      {"temperature", "0.1", "in units of median minus best (0 to 100)", "number 0..100"},
      {"tries", "12", "neighbours tried before a place counts as a basin (1 to 10000)",
       "integer 1..10000"},
      {"neighbourhood", "adjacent", "adjacent or hamming", "one of adjacent, hamming"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    const std::vector<Index> first = guide.sensible(1);
    if (first.empty()) co_return;
    Member basin = co_await guide.measure(first.front());
    while (true) {
      Member at = co_await guide.measure(moves().kick(basin.index, hop_, rng));
      std::size_t failed = 0;
      while (failed < tries_) {
        const auto index = moves().random_neighbour(at.index, kind_, rng);
        if (!index) break;
        const Member next = co_await guide.measure(*index);
        ++failed;
        if (next.value >= at.value) continue;
        at = next;
        failed = 0;
      }
      if (guide.accepts(at.value - basin.value, temperature_)) basin = at;
    }
  }

  std::size_t hop_ = option<std::size_t>("hop");
  double temperature_ = option<double>("temperature");
  std::size_t tries_ = option<std::size_t>("tries");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

// Pattern search (Hooke and Jeeves 1961): steps along each parameter, then along the sum of those
// that helped.
class PatternSearch : public Walkers {
 public:
  static constexpr const char* kName = "pattern_search";
  static constexpr const char* kSummary =
      "Hooke and Jeeves: steps along each parameter, then along their sum, then smaller steps";
  static constexpr tuner_option_info kOptions[] = {
      {"step", "0.25", "first step, as a share of a parameter's values (0 to 1)", "number 0..1"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override {
    Rng& rng = guide.rng();
    const std::vector<Index> first = guide.sensible(1);
    if (first.empty()) co_return;
    Member at = co_await guide.measure(first.front());
    Positions base = at.positions;
    std::vector<std::uint32_t> order = moves().free_parameters();
    double share = step_;
    while (true) {
      bool moved = false;
      rng.shuffle(order);
      for (const std::uint32_t parameter : order) {
        for (const Index index : around(at.positions, parameter, share)) {
          const Member next = co_await guide.measure(index);
          if (next.value >= at.value) continue;
          at = next;
          moved = true;
          break;
        }
      }
      if (moved) {  // once more in the direction of the whole sweep
        Positions ahead = at.positions;
        for (const std::uint32_t p : order) {
          if (moves().space().ordered(p)) ahead[p] = moves().clamp(p, 2.0 * ahead[p] - base[p]);
        }
        base = at.positions;
        const Member next = co_await guide.measure(moves().repair(std::move(ahead), at.index, rng));
        if (next.value < at.value) at = next;
        continue;
      }
      const bool smallest = std::ranges::all_of(order, [&](std::uint32_t p) {
        return !moves().space().ordered(p) || share * moves().space().value_count(p) < 1.5;
      });
      if (smallest) co_return;
      share /= 2;
    }
  }

  // The valid configurations a step along this parameter leads to.
  std::vector<Index> around(const Positions& at, std::uint32_t parameter, double share) const {
    const std::uint32_t count = moves().space().value_count(parameter);
    std::vector<Index> out;
    Positions changed = at;
    const auto add = [&](std::uint32_t position) {
      if (position == at[parameter]) return;
      changed[parameter] = position;
      if (const auto index = moves().space().index_of(changed)) out.push_back(*index);
    };
    if (moves().space().ordered(parameter)) {
      const double step = std::max(1.0, std::round(share * count));
      add(moves().clamp(parameter, at[parameter] + step));
      add(moves().clamp(parameter, at[parameter] - step));
    } else {
      for (std::uint32_t position = 0; position < count; ++position) add(position);
    }
    return out;
  }

  double step_ = option<double>("step");
};

}  // namespace

extern constexpr Registration kSimulatedAnnealing = registration_of<SimulatedAnnealing>();
extern constexpr Registration kIteratedLocalSearch = registration_of<IteratedLocalSearch>();
extern constexpr Registration kTabu = registration_of<Tabu>();
extern constexpr Registration kBasinHopping = registration_of<BasinHopping>();
extern constexpr Registration kPatternSearch = registration_of<PatternSearch>();

}  // namespace tuner::strategies
