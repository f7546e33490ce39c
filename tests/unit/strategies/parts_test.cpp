// The parts that strategies are made of.

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/strategies/listed_space.h"
#include "tuner/plugins/strategies/model/encoding.h"
#include "tuner/plugins/strategies/model/gaussian_process.h"
#include "tuner/plugins/strategies/model/model_search.h"
#include "tuner/plugins/strategies/parts/candidates.h"
#include "tuner/plugins/strategies/parts/common.h"
#include "tuner/plugins/strategies/parts/pareto.h"

namespace tuner::strategies {
namespace {

TEST(Rng, GivesTheSameNumbersEverywhere) {
  Rng rng(42);
  const std::uint64_t first = rng.next();
  const std::uint64_t second = rng.next();
  EXPECT_EQ(first, Rng(42).next());
  EXPECT_NE(first, second);
  EXPECT_NE(first, Rng(43).next());
  EXPECT_NE(first, Rng(42, 1).next());
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);  // five standard deviations
}

TEST(Rng, NormalHasMeanZeroAndVarianceOne) {
  Rng rng(1);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.03);
}

TEST(Permutation, VisitsEveryNumberOnce) {
  for (const std::uint64_t size : {1, 2, 3, 100, 4096, 4097, 5000, 65536, 70001}) {
    const Permutation order(size, 3);
    std::vector<bool> seen(size, false);
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto at = static_cast<std::uint64_t>(order.at(i));
      ASSERT_LT(at, size);
      ASSERT_FALSE(seen[at]);
      seen[at] = true;
    }
  }
}

TEST(Permutation, ReachesAllOfAnEnormousRange) {
  const Index size = (Index{1} << 127) + 12345;
  const Permutation order(size, 3);
  std::set<Index> seen;
  int upper_half = 0;
  for (int i = 0; i < 4000; ++i) {
    const Index at = order.at(static_cast<Index>(i));
    ASSERT_LT(at, size);
    seen.insert(at);
    upper_half += at > size / 2 ? 1 : 0;
  }
  EXPECT_EQ(seen.size(), 4000U);
  EXPECT_NEAR(upper_half, 2000, 160);
}

TEST(Permutation, FirstPlacesAreUniform) {
  for (const std::uint64_t size : {6, 5000}) {
    std::vector<int> counts(6, 0);
    for (std::uint64_t seed = 0; seed < 12000; ++seed) {
      const auto at = static_cast<std::uint64_t>(Permutation(size, seed).at(0));
      ++counts[at * 6 / size];
    }
    for (const int count : counts) EXPECT_NEAR(count, 2000, 210);
  }
}

TEST(Moves, RepairAlwaysGivesAValidConfigurationNearBy) {
  const ListedSpace space(typical_parameters(), typical_rule);
  const Moves moves{Space(&space.table())};
  Rng rng(7);
  for (int i = 0; i < 500; ++i) {
    Positions wanted;
    for (std::uint32_t p = 0; p < 5; ++p) {
      wanted.push_back(static_cast<std::uint32_t>(rng.below(moves.space().value_count(p))));
    }
    const Index home = rng.below(space.size());
    const Index repaired = moves.repair(wanted, home, rng);
    ASSERT_LT(repaired, space.size());
    if (const auto exact = moves.space().index_of(wanted)) {
      EXPECT_EQ(repaired, *exact);
    } else {
      const Positions to = moves.space().positions(repaired);
      EXPECT_LE(hamming_distance(to, wanted),
                std::max<std::size_t>(1, hamming_distance(moves.space().positions(home), wanted)));
    }
  }
}

TEST(Design, PrefersPowersOfTwoThenTheMiddleThenDistance) {
  const ListedSpace space({{{16, 32, 48, 64, 128}, true}, {{0, 1}, false}},
                          [](const auto&) { return true; });
  const Moves moves{Space(&space.table())};
  EXPECT_GT(start_merit(moves, {1, 0}, {}), start_merit(moves, {2, 0}, {}));
  EXPECT_GT(start_merit(moves, {1, 0}, {}), start_merit(moves, {0, 0}, {}));
  const std::vector<Positions> known{{1, 0}};
  EXPECT_GT(start_merit(moves, {3, 1}, known), start_merit(moves, {3, 0}, known));
}

TEST(Encoding, SeesHowOftenTwoDividesANumber) {
  const ListedSpace space({{{16, 32, 48, 64}, true}, {{1, 2, 4}, true}, {{0, 1}, false}},
                          [](const auto&) { return true; });
  const Encoding encoding(Moves{Space(&space.table())});
  ASSERT_EQ(encoding.coordinates().size(), 4U);
  EXPECT_EQ(encoding.coordinates()[0].place, (std::vector<double>{0, 0.5, std::log2(3) / 2, 1}));
  EXPECT_EQ(encoding.coordinates()[1].place, (std::vector<double>{0, 0.5, 0, 1}));
  EXPECT_EQ(encoding.coordinates()[2].parameter, 1U);  // only powers of two: size says it all
  EXPECT_TRUE(encoding.coordinates()[3].place.empty());
}

class GaussianProcessTest : public testing::Test {
 protected:
  GaussianProcessTest() {
    for (Index i = 0; i < space_.size(); ++i) {
      all_.push_back(encoding_.point(i));
    }
  }
  // Reference: dense formulas in double.
  void expect_exact(const GaussianProcess& process, const std::vector<Point>& points,
                    const Eigen::VectorXf& values) {
    const Covariance kernel(encoding_, process.parameters());
    const auto n = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd matrix(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        matrix(i, j) = kernel.between(points[size_t(i)], points[size_t(j)]);
      }
      matrix(i, i) += kernel.noise() + 1e-4;
    }
    const auto white = process.whiten(values, std::vector<bool>(points.size(), false));
    const auto mean = process.predict_mean(white);
    const auto variance = process.variance();
    const Eigen::LDLT<Eigen::MatrixXd> solver(matrix);
    for (std::size_t c = 0; c < all_.size(); ++c) {
      Eigen::VectorXd k(n);
      for (Eigen::Index i = 0; i < n; ++i) k[i] = kernel.between(points[size_t(i)], all_[c]);
      const Eigen::VectorXd weights = solver.solve(k);
      EXPECT_NEAR(mean[Eigen::Index(c)], weights.dot(values.cast<double>()), 2e-3);
      EXPECT_NEAR(variance[Eigen::Index(c)], 1 - weights.dot(k), 2e-3);
    }
  }

  ListedSpace space_{{{{1, 2, 4, 8, 12}, true}, {{1, 2, 3}, true}, {{0, 1}, false}},
                     [](const auto&) { return true; }};
  Encoding encoding_{Moves{Space(&space_.table())}};
  std::vector<Point> all_;
};

TEST_F(GaussianProcessTest, GrowingByPointsAndReplacingCandidatesIsExact) {
  GaussianProcess process(encoding_, prior_covariance(encoding_));
  std::vector<Point> candidates = all_;
  std::swap(candidates[3], candidates[9]);
  std::vector<Point> points;
  Eigen::VectorXf values(100);
  for (std::size_t i = 0; i < 100; ++i) {
    if (i == 10) process.set_candidates(candidates);
    if (i == 80) {
      process.replace_candidate(3, all_[3]);
      process.replace_candidate(9, all_[9]);
    }
    points.push_back(all_[mix64(i) % all_.size()]);
    process.add_point(points.back());
    values[Eigen::Index(i)] = float(mix64(i) % all_.size()) / 30 - 0.5F;
  }
  expect_exact(process, points, values);
}

TEST_F(GaussianProcessTest, AnOpenPointChangesNoMeanButLessensTheVariance) {
  GaussianProcess process(encoding_, prior_covariance(encoding_));
  process.set_candidates(all_);
  for (const std::size_t i : {0, 7, 20}) process.add_point(all_[i]);
  const Eigen::Vector3f known(1, -1, 0.5);
  const auto mean = process.predict_mean(process.whiten(known, {false, false, false}));
  const auto variance = process.variance();
  process.add_point(all_[12]);
  const Eigen::Vector4f more(1, -1, 0.5, 99);
  const auto later = process.predict_mean(process.whiten(more, {false, false, false, true}));
  EXPECT_LT((mean - later).abs().maxCoeff(), 1e-4);
  EXPECT_LT(process.variance()[12], 0.1F * variance[12] + 0.02F);
}

TEST_F(GaussianProcessTest, FittingFindsWhichParameterMatters) {
  std::vector<double> seen;
  Eigen::VectorXf values(static_cast<Eigen::Index>(all_.size()));
  for (std::size_t i = 0; i < all_.size(); ++i) {
    values[Eigen::Index(i)] = all_[i][1] == 1 ? 1.4F : -0.7F;
  }
  Rng rng(1);
  const auto fitted =
      fit_covariance(encoding_, all_, values, prior_covariance(encoding_), 200, rng);
  std::vector<double> shortest(3, 100);
  for (std::size_t c = 0; c < encoding_.coordinates().size(); ++c) {
    double& length = shortest[encoding_.coordinates()[c].parameter];
    length = std::min(length, fitted.log_lengths[c]);
  }
  EXPECT_LT(shortest[1] + 0.5, shortest[0]);
  EXPECT_LT(shortest[1] + 0.5, shortest[2]);
}

TEST(Acquisition, LogOfExpectedImprovementIsExactAndSmoothInTheTail) {
  // By numerical integration of max(best - x, 0) over the normal density.
  for (const double u : {-7.9, -3.0, 0.0, 2.0}) {
    double integral = 0;
    for (double z = -40; z < u; z += 1e-3) {
      integral += (u - z) * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI) * 1e-3;
    }
    EXPECT_NEAR(log_expected_improvement(0, 1, u), std::log(integral), 2e-2) << u;
  }
  EXPECT_NEAR(log_expected_improvement(0, 1, -7.999), log_expected_improvement(0, 1, -8.001), 0.1);
  EXPECT_GT(log_expected_improvement(0, 1, -20), log_expected_improvement(0, 1, -21));
}

TEST(Targets, FailuresAreNoBetterThanTheWorst) {
  const auto targets = standardised(shaped({2, 8, 4, kInfinity}, {}).values);
  EXPECT_LT(targets[0], targets[2]);
  EXPECT_LT(targets[2], targets[1]);
  EXPECT_FLOAT_EQ(targets[3], targets[1]);
  EXPECT_NEAR(targets.mean(), 0, 1e-6);
}

TEST(Targets, MaximisedPositiveValuesAreTakenAsLogarithmsToo) {
  const auto rates = shaped({-8, -2, -4}, {.flatten = 1});
  EXPECT_TRUE(rates.logarithms);
  EXPECT_FLOAT_EQ(rates.values[2] - rates.values[0], rates.values[1] - rates.values[2]);
  EXPECT_LT(rates.values[0], rates.values[1]);
  EXPECT_FALSE(shaped({-1, 2}, {}).logarithms);
}

TEST(Targets, StretchedOnesTellTheBestFromTheNextBest) {
  const double e = std::exp(1.0);
  const auto targets = shaped({e * e, 1, e, e * e * e, kInfinity}, {.flatten = 1, .stretch = true});
  // The median, e squared, is 2 behind the best.
  EXPECT_FLOAT_EQ(targets.values[0], std::log(2.0F));
  EXPECT_FLOAT_EQ(targets.values[1], 0);
  EXPECT_FLOAT_EQ(targets.values[2], std::log(1.5F));
  EXPECT_FLOAT_EQ(targets.values[3], std::log(2.5F));
  EXPECT_FLOAT_EQ(targets.values[4], targets.values[3]);
  EXPECT_FLOAT_EQ(shaped({3, 3}, {.stretch = true}).values[0],
                  std::log(3.0F));  // no median to go by
}

TEST(Pareto, FrontsAreLayersOfDominance) {
  const std::vector<Objectives> points{{1, 5}, {2, 2}, {5, 1}, {3, 3}, {4, 4}, {}, {2, 2}};
  EXPECT_EQ(front_of(points), (std::vector<std::size_t>{0, 0, 0, 1, 2, 3, 0}));
}

TEST(Pareto, EndsOfAFrontAreTheLoneliest) {
  const std::vector<Objectives> points{{0, 10}, {1, 9}, {2, 8}, {9, 1}, {10, 0}};
  const auto distance = crowding(points, std::vector<std::size_t>(5, 0));
  EXPECT_EQ(distance[0], kInfinity);
  EXPECT_EQ(distance[4], kInfinity);
  EXPECT_GT(distance[3], distance[1]);
}

}  // namespace
}  // namespace tuner::strategies
