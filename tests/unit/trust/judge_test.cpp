// What is judged, without a device.

#include "tuner/trust/judge.h"

#include <gtest/gtest.h>

#include "tests/unit/resolve/studies.h"

namespace tuner {
namespace {

std::vector<std::string> labels(const std::vector<ProblemSize>& sizes) {
  std::vector<std::string> out;
  for (const ProblemSize& size : sizes) out.push_back(size.label());
  return out;
}

TEST(SizesAtTheEdge, AreThoseAroundABlockAndOddAndLargeOnes) {
  LaunchGeometry geometry;
  geometry.block = {64, 1, 1};
  geometry.grid = {4, 1, 1};  // of 256 elements each
  EXPECT_EQ(labels(sizes_at_the_edge({}, {{{"N", 1024}}}, geometry)),
            (std::vector<std::string>{"N1", "N63", "N65", "N255", "N257", "N1023", "N2049"}));
}

TEST(SizesAtTheEdge, ChangeOneDimensionAtATimeAndAllTogether) {
  LaunchGeometry geometry;
  geometry.block = {32, 1, 1};
  const auto sizes = labels(sizes_at_the_edge({}, {{{"M", 8}, {"N", 7}}}, geometry));
  EXPECT_EQ(sizes, (std::vector<std::string>{"M1_N1", "M1_N7", "M7_N7", "M31_N7", "M33_N7", "M8_N1",
                                             "M8_N5", "M8_N31", "M8_N33", "M7_N5", "M17_N7"}));
}

TEST(SizesAtTheEdge, StayWithinTheDomain) {
  Study study;
  study.domain = SizeDomain{{{"N", 60, 2000}}, {{test::expr("N % 3 != 2"), 1}}};
  LaunchGeometry geometry;
  geometry.block = {64, 1, 1};
  EXPECT_EQ(labels(sizes_at_the_edge(study, {{{"N", 1024}}}, geometry)),
            (std::vector<std::string>{"N63", "N1023"}))
      << "65 is 2 more than a multiple of 3";
}

TEST(SmallerSizes, AreHalvedUntilAnExtentHasFewerThan512) {
  const auto sizes = labels(smaller_sizes({}, {{{"M", 4096}, {"N", 100}}}));
  ASSERT_EQ(sizes.size(), 16U);
  EXPECT_EQ(sizes.front(), "M512_N100");
  EXPECT_EQ(sizes.back(), "M2048_N100");
}

}  // namespace
}  // namespace tuner
