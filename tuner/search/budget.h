#pragma once
// When to stop searching.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/base/expected.h"
#include "tuner/model/study.h"

namespace tuner {

// "500" evaluations, "90s", "10m", "2h", "1.5h" of time, "target=0.8" (stop once the objective is
// as good), "patience=200" (stop after so many evaluations without a better one); any of them
// joined by commas, each at most once. The error says what was not understood and what is allowed.
Expected<Budget, std::string> parse_budget(std::string_view text);

// Keeps account of a budget.
class BudgetClock {
 public:
  BudgetClock(const Budget& budget, const ObjectiveSpec& objective);

  void submitted() { ++submitted_; }
  // `objective` as the study names it; empty for a failed configuration.
  void finished(std::optional<double> objective);

  // How many more may be submitted; UINT64_MAX where evaluations are not limited.
  std::uint64_t may_submit() const;
  // Why nothing more should be submitted after `now` seconds: "500 evaluations", ...; or nothing.
  std::optional<std::string> spent(double now) const;

  struct Left {
    double evaluations = 0;  // infinity where they are not limited
    double seconds = 0;
  };
  Left left(double now) const;

  std::uint64_t count_submitted() const { return submitted_; }
  std::uint64_t count_finished() const { return finished_; }

 private:
  Budget budget_;
  ObjectiveSpec objective_;
  std::uint64_t submitted_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t since_better_ = 0;
  std::optional<double> best_;
};

}  // namespace tuner
