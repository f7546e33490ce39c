// A bandit over other strategies (Fialho et al. 2010; OpenTuner, Ansel et al. 2014): asks the one
// that found improvements lately.

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <unordered_map>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/history.h"

namespace tuner::strategies {
namespace {

// With default options. A bandit of bandits would never end.
std::unique_ptr<sdk::Strategy> make_strategy(std::string_view name, const StrategySetup& setup,
                                             std::string_view but) {
  std::string known;
  for (const Registration* one : catalogue()) {
    if (one->name == but) continue;
    if (one->name == name) return one->make(setup);
    known += (known.empty() ? "" : ", ") + std::string(one->name);
  }
  throw sdk::Error(TUNER_INVALID, "no strategy '" + std::string(name) + "'; there are: " + known);
}

class Bandit : public sdk::Strategy {
 public:
  static constexpr const char* kName = "bandit";
  static constexpr const char* kSummary =
      "asks the one of several strategies that found improvements lately";
  static constexpr tuner_option_info kOptions[] = {
      {"strategies", "pattern_search+hybrid_vndx+differential_evolution+genetic",
       "which, joined by + (any of its plugin but bandit, with default options)", nullptr},
      {"window", "50", "answers that count as lately (1 to 100000)", "integer 1..100000"},
      {"exploration", "0.02", "weight of trying those rarely asked (0 to 10)", "number 0..10"}};

  explicit Bandit(const StrategySetup& setup);
  std::vector<Index> ask(std::size_t count) override {
    std::vector<Index> out;
    while (out.size() < count) {
      const auto index = propose();
      if (!index) break;
      out.push_back(*index);
    }
    return out;
  }

  void tell(const Observation& observation) override {
    const auto* before = history_.best();
    const double best = before == nullptr ? kInfinity : before->value;
    history_.record(observation);
    const auto asked = asked_by_.find(observation.index);
    if (asked != asked_by_.end()) {
      recent_.push_back({asked->second, value_of(observation) < best});
      if (recent_.size() > window_) recent_.pop_front();
      --open_[asked->second];
      asked_by_.erase(asked);
    }
    for (const auto& arm : arms_) arm->tell(observation);
  }

  void learn(const sdk::Prior& prior) override {
    for (const auto& arm : arms_) arm->learn(prior);
  }

 private:
  struct Use {
    std::size_t arm = 0;
    bool improved = false;
  };

  // An arm may name what another one has asked for: it will be told the answer with all the others,
  // and is asked again.
  std::optional<Index> propose() {
    constexpr int kTries = 20;
    for (const std::size_t arm : arms_by_merit()) {
      for (int t = 0; t < kTries; ++t) {
        const std::vector<Index> asked = arms_[arm]->ask(1);
        if (asked.empty()) break;
        if (!history_.claim(asked.front())) continue;
        asked_by_[asked.front()] = arm;
        ++open_[arm];
        return asked.front();
      }
    }
    const auto index = history_.fresh();
    if (index) history_.claim(*index);
    return index;
  }

  std::vector<std::size_t> arms_by_merit() const {
    std::vector<double> merits;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) merits.push_back(merit(arm));
    return places_by(arms_.size(), [&](std::size_t arm) { return -merits[arm]; });
  }

  // Area under the curve of the arm's improvements over its uses in the window, late ones weighing
  // more, plus a bonus for those that were rarely used.
  double merit(std::size_t arm) const {
    double uses = 0;
    double area = 0;
    for (const Use& use : recent_) {
      if (use.arm != arm) continue;
      uses += 1;
      if (use.improved) area += uses;
    }
    const double all = static_cast<double>(recent_.size()) + 1;
    const double tried = uses + static_cast<double>(open_[arm]);
    if (tried == 0) return kInfinity;
    const double credit = uses == 0 ? 0 : area / (uses * (uses + 1) / 2);
    return credit + exploration_ * std::sqrt(2 * std::log2(all + 1) / tried);
  }

  History history_;
  std::vector<std::unique_ptr<sdk::Strategy>> arms_;
  std::size_t window_;
  double exploration_;
  std::unordered_map<Index, std::size_t, IndexHash> asked_by_;  // the arm of each open question
  std::deque<Use> recent_;                                      // oldest first
  std::vector<std::size_t> open_;                               // questions of each arm
};

Bandit::Bandit(const StrategySetup& setup)
    : history_(setup.space, setup.seed),
      window_(setup.options.get<std::size_t>("window")),
      exploration_(setup.options.get<double>("exploration")) {
  const std::string& names = setup.options.text_of("strategies");
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find('+', at), names.size());
    StrategySetup own = setup;
    own.seed = mix64(setup.seed + arms_.size() + 1);
    arms_.push_back(make_strategy(names.substr(at, end - at), own, kName));
    at = end + 1;
  }
  open_.assign(arms_.size(), 0);
}

}  // namespace

extern constexpr Registration kBandit = registration_of<Bandit>();

}  // namespace tuner::strategies
