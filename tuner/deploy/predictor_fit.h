#pragma once
// Learns predictors of configurations from what was measured at each size, by least squares.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/deploy/tuned_table.h"
#include "tuner/resolve/names_at.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

using CoefficientRows = std::vector<const std::vector<double>*>;

// The coefficients, none below 0, that make rows * coefficients closest to `values` in squares, and
// of such the ones closest to `usual`: `penalty`, above 0, is how much the square of that distance
// counts, each coefficient times the largest entry of its column. Rows are as long as `usual`, and
// there is at least one; entries are not negative. (Lawson and Hanson, Solving Least Squares
// Problems, 1974.)
std::vector<double> nonnegative_coefficients(const CoefficientRows& rows,
                                             const std::vector<double>& values,
                                             const std::vector<double>& usual, double penalty);

// Remembers what a configuration teaches, for tables of nearly the same results. Study and results
// must outlive it.
class PredictorFit {
 public:
  PredictorFit(const Study& study, const std::vector<const RankedResults*>& results);

  // Predictors of the configurations that a table's entries have, from all results, or from all but
  // one: then for that one's device alone, where the table has it.
  LearnedSelector learned(const TunedTable& table, std::optional<std::size_t> without = {});
  // Returns the configuration's cost at the size of a result; NaN: it was not measured.
  double cost(std::size_t result, const Configuration& configuration) const;

 private:
  struct Lesson {
    std::size_t result = 0;
    double cost = 0;
    std::vector<double> shares{};  // of the cost, what each feature counts
  };
  struct Lessons {
    Predictor predictor;  // without coefficients
    std::vector<Lesson> lessons;
  };
  struct Measured {
    std::size_t result = 0;
    const Trial* trial = nullptr;
  };
  // By result, ascending.
  const std::vector<Measured>& measured(const Configuration& configuration) const;
  const Lessons& lessons_of(const DeviceFacts& device, const Configuration& configuration);
  Lessons look_at(const DeviceFacts& device, const Configuration& configuration);
  void add_predictors(const TunedTable& table, std::size_t device,
                      std::optional<std::size_t> without, LearnedSelector& out);

  const Study& study_;
  std::vector<const RankedResults*> results_;
  std::map<Configuration, std::vector<Measured>> trials_;           // the valid ones
  std::vector<std::optional<NamesAt>> names_;                       // by result, once it is asked
  std::map<std::pair<std::string, Configuration>, Lessons> known_;  // by the device's name
};

}  // namespace tuner
