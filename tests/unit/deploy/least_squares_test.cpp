// Coefficients that are not negative and as close as can be.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tuner/deploy/predictor_fit.h"

namespace tuner {
namespace {

CoefficientRows pointers_to(const std::vector<std::vector<double>>& rows) {
  CoefficientRows out;
  for (const std::vector<double>& one : rows) out.push_back(&one);
  return out;
}

using Rows = std::vector<std::vector<double>>;

constexpr double kPenalty = 1e-3;

double largest(const Rows& rows, std::size_t column) {
  double scale = 0;
  for (const auto& row : rows) scale = std::max(scale, row[column]);
  return scale;
}

// How what is to be small changes with a coefficient, that of the scaled column.
double slope(const Rows& rows, const std::vector<double>& values, const std::vector<double>& usual,
             const std::vector<double>& coefficients, std::size_t column) {
  const double scale = largest(rows, column);
  double sum = kPenalty * scale * (coefficients[column] - usual[column]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double off = -values[i];
    for (std::size_t c = 0; c < coefficients.size(); ++c) off += rows[i][c] * coefficients[c];
    sum += off * rows[i][column] / scale;
  }
  return sum;
}

// The problem is convex, so this is what makes an answer the best (Karush, Kuhn and Tucker).
TEST(LeastSquares, NoCoefficientCanBeMovedToABetterPlace) {
  std::mt19937 random(7);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
  };
  for (int round = 0; round < 200; ++round) {
    const std::size_t width = 1 + random() % 5;
    Rows rows(1 + random() % 9, std::vector<double>(width));
    std::vector<double> values;
    std::vector<double> usual;
    for (auto& row : rows) {
      for (std::size_t c = 0; c < width; ++c) row[c] = number(0, 1) * std::pow(100.0, c);
      values.push_back(number(-1, 2));
    }
    for (std::size_t c = 0; c < width; ++c) usual.push_back(number(0, 1) / std::pow(100.0, c));
    const auto found = nonnegative_coefficients(pointers_to(rows), values, usual, kPenalty);
    for (std::size_t c = 0; c < width; ++c) {
      ASSERT_GE(found[c], 0);
      const double downhill = slope(rows, values, usual, found, c);
      ASSERT_GE(downhill, -1e-5) << "round " << round;
      if (found[c] > 0) {
        ASSERT_LE(downhill, 1e-5) << "round " << round;
      }
    }
  }
}

TEST(LeastSquares, WhatTheRowsDoNotTellIsAsUsual) {
  // Both columns are the same: only their sum, 1, is told.
  const std::vector<std::vector<double>> rows{{1, 1}, {2, 2}};
  const auto found = nonnegative_coefficients(pointers_to(rows), {1, 2}, {0.8, 0.2}, 1e-6);
  EXPECT_NEAR(found[0], 0.8, 1e-3);
  EXPECT_NEAR(found[1], 0.2, 1e-3);
}

TEST(LeastSquares, AColumnOfZerosCountsNothing) {
  const std::vector<std::vector<double>> rows{{0, 2}, {0, 4}};
  const auto found = nonnegative_coefficients(pointers_to(rows), {1, 2}, {0, 0}, 1e-9);
  EXPECT_EQ(found[0], 0);
  EXPECT_NEAR(found[1], 0.5, 1e-6);
}

}  // namespace
}  // namespace tuner
