// The forest finds out what a known function depends on.

#include "tuner/report/forest.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace tuner {
namespace {

// Four features with values 0 to 7, drawn at random.
Observations observations_of(const std::function<double(const std::vector<int>&)>& function,
                             std::size_t rows = 600) {
  Observations data;
  data.codes.resize(4);
  std::mt19937_64 random(7);
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<int> x;
    for (auto& column : data.codes) {
      x.push_back(static_cast<int>(random() % 8));
      column.push_back(static_cast<std::uint16_t>(x.back()));
    }
    data.y.push_back(function(x));
  }
  return data;
}

TEST(Forest, ASumIsAsImportantAsItsTermsVary) {
  // Variances of the terms: 100 : 25 : 1 : 0.
  const Importance found = permutation_importance(
      observations_of([](const auto& x) { return 10.0 * x[0] + 5.0 * x[1] + 1.0 * x[2]; }));
  EXPECT_GT(found.features[0], 2.5 * found.features[1]);
  EXPECT_GT(found.features[1], 2.5 * found.features[2]);
  EXPECT_GT(found.features[2], found.features[3]);
  EXPECT_NEAR(found.features[3], 0, 0.01);
  EXPECT_GT(found.explained, 0.9);
  EXPECT_EQ(found.rows, 600U);
}

TEST(Forest, WhatOnlyMattersTogetherIsFound) {
  // Neither feature says anything alone.
  const Importance found = permutation_importance(
      observations_of([](const auto& x) { return (x[0] < 4) == (x[1] < 4) ? 1.0 : 0.0; }));
  EXPECT_GT(found.features[0], 0.5);
  EXPECT_GT(found.features[1], 0.5);
  EXPECT_LT(found.features[2], 0.2);
  EXPECT_LT(found.features[3], 0.2);
}

TEST(Forest, NoiseIsNotImportant) {
  std::mt19937_64 noise(3);
  const Importance found = permutation_importance(
      observations_of([&](const auto&) { return static_cast<double>(noise() % 1000); }));
  for (const double one : found.features) EXPECT_LT(one, 0.15);
  EXPECT_LT(found.explained, 0.1);
}

TEST(Forest, TheSameSeedSaysTheSame) {
  const Observations data = observations_of([](const auto& x) { return 1.0 * x[0] * x[1]; });
  EXPECT_EQ(permutation_importance(data, 5).features, permutation_importance(data, 5).features);
  EXPECT_NE(permutation_importance(data, 5).features, permutation_importance(data, 6).features);
}

TEST(Forest, NothingToExplainIsAllZero) {
  const std::vector<double> zeros(4);
  EXPECT_EQ(permutation_importance(observations_of([](const auto&) { return 3.0; })).features,
            zeros);
  EXPECT_EQ(permutation_importance(observations_of([](const auto& x) { return 1.0 * x[0]; }, 19))
                .features,
            zeros);
}

TEST(Forest, OfManyRowsASampleIsTaken) {
  const Importance found =
      permutation_importance(observations_of([](const auto& x) { return 1.0 * x[3]; }, 9000));
  EXPECT_EQ(found.rows, 4000U);
  EXPECT_GT(found.features[3], 1);
}

}  // namespace
}  // namespace tuner
