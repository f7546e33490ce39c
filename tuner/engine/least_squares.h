#pragma once
// Ridge regression: a linear model whose weights stay small.

#include <vector>

namespace tuner {

// The weights that make rows * weights closest to values in squares, with `penalty` times the
// squares of all weights but the first (of a constant, by custom) added. Rows are as long as each
// other and at least one.
std::vector<double> ridge_weights(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& values, double penalty);

}  // namespace tuner
