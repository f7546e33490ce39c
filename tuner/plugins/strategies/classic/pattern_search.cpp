// Pattern search (Hooke and Jeeves 1961): steps along each parameter, then along the sum of those
// that helped.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class PatternSearch : public Walkers {
 public:
  static constexpr const char* kName = "pattern_search";
  static constexpr const char* kSummary =
      "Hooke and Jeeves: steps along each parameter, then along their sum, then smaller steps";
  static constexpr tuner_option_info kOptions[] = {
      {"step", "0.25", "first step, as a share of a parameter's values (0 to 1)", "number 0..1"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;
  // The valid configurations a step along this parameter leads to.
  std::vector<Index> around(const Positions& at, std::uint32_t parameter, double share) const;

  double step_ = option<double>("step");
};

std::vector<Index> PatternSearch::around(const Positions& at, std::uint32_t parameter,
                                         double share) const {
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

Walk PatternSearch::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.sensible(1);
  if (first.empty()) co_return;
  Index at = first.front();
  double value = co_await guide.measure(at);
  Positions base = moves().space().positions(at);
  std::vector<std::uint32_t> order = moves().free_parameters();
  double share = step_;
  while (true) {
    bool moved = false;
    rng.shuffle(order);
    for (const std::uint32_t parameter : order) {
      for (const Index next : around(moves().space().positions(at), parameter, share)) {
        const double next_value = co_await guide.measure(next);
        if (next_value >= value) continue;
        at = next;
        value = next_value;
        moved = true;
        break;
      }
    }
    if (moved) {  // once more in the direction of the whole sweep
      const Positions now = moves().space().positions(at);
      Positions ahead = now;
      for (const std::uint32_t p : order) {
        if (moves().space().ordered(p)) ahead[p] = moves().clamp(p, 2.0 * now[p] - base[p]);
      }
      base = now;
      const Index next = moves().repair(std::move(ahead), at, rng);
      const double next_value = co_await guide.measure(next);
      if (next_value < value) {
        at = next;
        value = next_value;
      }
      continue;
    }
    const bool smallest = std::ranges::all_of(order, [&](std::uint32_t p) {
      return !moves().space().ordered(p) || share * moves().space().value_count(p) < 1.5;
    });
    if (smallest) co_return;
    share /= 2;
  }
}

}  // namespace

extern constexpr Registration kPatternSearch = registration_of<PatternSearch>();

}  // namespace tuner::strategies
