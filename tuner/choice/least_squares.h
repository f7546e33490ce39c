#pragma once
// Least squares with coefficients that are not negative.

#include <vector>

namespace tuner {

// The coefficients, none below 0, that make rows * coefficients closest to `values` in squares, and
// of such the ones closest to `usual`: `penalty`, above 0, is how much the square of that distance
// counts, each coefficient times the largest entry of its column. Rows are as long as `usual`, and
// there is at least one; entries are not negative. (Lawson and Hanson, Solving Least Squares
// Problems, 1974.)
std::vector<double> nonnegative_coefficients(const std::vector<std::vector<double>>& rows,
                                             const std::vector<double>& values,
                                             const std::vector<double>& usual, double penalty);

}  // namespace tuner
