#pragma once
// A random forest of regression trees (Breiman 2001), for how much each feature matters.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tuner {

// Features are codes from 0 in the order of their values; all columns are as long as `y`.
struct Observations {
  std::vector<std::vector<std::uint16_t>> codes;  // [feature][row]
  std::vector<double> y;
};

struct Importance {
  // By how much the mean squared error of predictions for rows that a tree has not seen grows when
  // the feature's values are shuffled among them, over the variance of y; averaged over the trees.
  std::vector<double> features;
  double explained = 0;  // share of the variance that these predictions explain; below 0: none
  std::size_t rows = 0;  // that the forest was grown from
};

// Permutation importance out of bag. The same for the same observations and seed. Of many rows a
// sample is taken. All zero where there is nothing to explain: fewer than 20 rows, or all alike.
Importance permutation_importance(const Observations& observations, std::uint64_t seed = 1);

}  // namespace tuner
