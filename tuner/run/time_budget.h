#pragma once
// How the seconds of a size's budget are shared: the search, the final, ranking and files.

#include <optional>

#include "tuner/run/final.h"

namespace tuner {

// In seconds since the beginning of the size; without a limit nothing ends.
class TimeBudget {
 public:
  explicit TimeBudget(std::optional<double> seconds) : seconds_(seconds) {}
  // When a final must be done.
  double end() const;
  // What the search must leave. A final gets all its rounds if they are a small part of the budget,
  // the fewest if they are a larger one, and no time at all if even these are too many.
  double reserve(const FinalEstimate& final, bool has_final) const;

 private:
  double for_writing() const;

  std::optional<double> seconds_;
};

}  // namespace tuner
