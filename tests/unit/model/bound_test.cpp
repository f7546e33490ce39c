// What kernels are bound by, from counters.

#include "tuner/model/bound.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

// In the order of bound_counters().
Metrics read(const std::vector<double>& values) {
  Metrics counters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    counters.emplace_back(bound_counters().at(i), values[i]);
  }
  return counters;
}

TEST(BoundBy, IsTheBusiestPartWithTheThreeNumbersBehindIt) {
  const auto bound = bound_of(read({91.2, 40.4, 12, 0, 3, 0, 18.6, 70}));
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->by, "memory");
  EXPECT_EQ(bound->text, "bound by memory: DRAM 91 % of the most, L2 cache 40 %, issue slots 19 %");
  EXPECT_EQ(bound_of(read({10, 20, 85, 0, 3, 0, 50, 70}))->by, "cache");
  EXPECT_EQ(bound_of(read({10, 20, 50, 88, 3, 0, 50, 70}))->by, "tensor cores");
  EXPECT_EQ(bound_of(read({10, 20, 50, 0, 3, 97, 50, 70}))->by, "arithmetic");
  EXPECT_EQ(bound_of(read({10, 20, 50, 0, 3, 0, 80, 70}))->by, "issue");
}

TEST(BoundBy, IsLatencyWhereNothingIsBusy) {
  EXPECT_EQ(bound_of(read({45, 38, 5, 0, 0, 0, 20, 32}))->text,
            "bound by latency: DRAM 45 % of the most, L2 cache 38 %, 32 % of the warps there");
}

TEST(BoundBy, IsNotSaidOfWhatWasNotRead) {
  EXPECT_FALSE(bound_of({}));
  EXPECT_FALSE(bound_of({{"dram__bytes.sum", 1e9}}));
}

}  // namespace
}  // namespace tuner
