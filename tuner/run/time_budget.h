#pragma once
// How the seconds of a size's budget are shared: the search, the final, ranking and files.

#include <optional>

#include "tuner/run/final.h"

namespace tuner {

// Seconds of the steady clock, by which workers say when they were busy.
double steady_seconds();

// From the beginning of a size on, and what was spent before.
class Stopwatch {
 public:
  explicit Stopwatch(double spent = 0) : begin_(steady_seconds() - spent) {}
  double seconds() const { return steady_seconds() - begin_; }

 private:
  double begin_;
};

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
