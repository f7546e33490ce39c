// Sizes that are drawn from a domain.

#include "tuner/model/size_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tuner {
namespace {

SizeDomain domain(std::vector<ExtentRange> extents, const std::vector<std::string>& rules) {
  SizeDomain out{std::move(extents), {}};
  for (const std::string& rule : rules) {
    out.kinds.push_back({rule.empty() ? Expression() : Expression::parse_or_throw(rule), 1});
  }
  return out;
}

const std::vector<ExtentRange> kCube{{"M", 1, 8192}, {"N", 1, 8192}, {"K", 1, 8192}};

std::int64_t at(const ProblemSize& size, std::size_t d) { return size.dims[d].second; }

TEST(SizeSampler, TheSameSeedGivesTheSameSizes) {
  const SizeDomain all = domain(kCube, {"", "M % 32 == 0"});
  EXPECT_EQ(distinct_sizes(all, 40, 7), distinct_sizes(all, 40, 7));
  EXPECT_NE(distinct_sizes(all, 40, 7), distinct_sizes(all, 40, 8));
}

TEST(SizeSampler, ExtentsAreSpreadEvenlyByLogarithm) {
  SizeSampler sampler(domain({{"M", 1, 1 << 16}}, {""}), 3);
  int below = 0;
  for (int i = 0; i < 4000; ++i) below += at(*sampler.draw(), 0) < 256 ? 1 : 0;
  EXPECT_NEAR(below / 4000.0, 0.5, 0.05);
}

TEST(SizeSampler, MultiplesAreSpreadEvenlyByLogarithmToo) {
  SizeSampler sampler(domain({{"M", 1, 8192}}, {"M % 32 == 0"}), 3);
  int below = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t extent = at(*sampler.draw(), 0);
    ASSERT_EQ(extent % 32, 0);
    below += extent < 512 ? 1 : 0;
  }
  EXPECT_NEAR(below / 4000.0, 0.5, 0.08);
}

// One in a thousand million draws would be of this kind.
TEST(SizeSampler, NarrowKindsAreSolvedNotTried) {
  SizeSampler sampler(domain(kCube, {"M % 1024 == 0 and N % 1024 == 0 and K == 777"}), 1);
  for (int i = 0; i < 20; ++i) {
    const auto size = sampler.draw();
    ASSERT_TRUE(size);
    EXPECT_EQ(at(*size, 0) % 1024, 0);
    EXPECT_EQ(at(*size, 1) % 1024, 0);
    EXPECT_EQ(at(*size, 2), 777);
  }
}

TEST(SizeSampler, DimensionsMayDependOnEachOther) {
  SizeSampler sampler(domain(kCube, {"M == N and M * K <= 2 ** 16"}), 1);
  std::int64_t largest = 0;
  for (int i = 0; i < 200; ++i) {
    const auto size = sampler.draw();
    ASSERT_TRUE(size);
    EXPECT_EQ(at(*size, 0), at(*size, 1));
    EXPECT_LE(at(*size, 0) * at(*size, 2), 1 << 16);
    largest = std::max(largest, at(*size, 0));
  }
  EXPECT_GT(largest, 1000);  // not the tiny ones only, which pairs of draws would agree in
}

TEST(SizeSampler, WideRangesHaveTheMultiplesThatARuleNames) {
  const std::int64_t most = std::int64_t{1} << 31;
  SizeSampler sampler(domain({{"N", 1, most}}, {"N % 3000 == 7", "N == 123456789"}), 1);
  EXPECT_EQ(at(*sampler.draw_of(0), 0) % 3000, 7);
  EXPECT_EQ(at(*sampler.draw_of(1), 0), 123456789);
}

TEST(SizeSampler, AKindThatNoSizeFulfilsGivesNone) {
  for (const char* rule : {"M > 8192", "M % 2 == 0 and M % 2 == 1", "M + N + K == 2", "1 == 2",
                           "M // 0 == 1", "M * M == 2 * N * N and M * N > 70000000"}) {
    SizeSampler sampler(domain(kCube, {rule}), 1);
    EXPECT_FALSE(sampler.draw()) << rule;
  }
}

TEST(SizeSampler, KindsComeByTheirWeights) {
  SizeDomain both = domain({{"M", 1, 64}}, {"M <= 8", "M > 8"});
  both.kinds[0].weight = 3;
  SizeSampler sampler(both, 5);
  int small = 0;
  for (int i = 0; i < 2000; ++i) small += at(*sampler.draw(), 0) <= 8 ? 1 : 0;
  EXPECT_NEAR(small / 2000.0, 0.75, 0.05);
}

TEST(SizeSampler, ASmallDomainHasEachSizeOnce) {
  auto sizes = distinct_sizes(domain({{"M", 3, 5}, {"N", 2, 2}}, {""}), 100, 1);
  std::ranges::sort(sizes, {}, &ProblemSize::label);
  std::vector<std::string> labels;
  for (const ProblemSize& size : sizes) labels.push_back(size.label());
  EXPECT_EQ(labels, (std::vector<std::string>{"M3_N2", "M4_N2", "M5_N2"}));
}

}  // namespace
}  // namespace tuner
