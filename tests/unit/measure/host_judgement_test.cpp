#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tuner/measure/difference.h"

namespace tuner {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

template <typename T>
ProblemArray array_of(DataType type, const std::vector<T>& values) {
  ProblemArray array{"y", type, {values.size()}, values.size()};
  array.data.resize(values.size() * sizeof(T));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

template <typename T = float>
Judgement judged(const CompareRule& how, double rtol, double atol, const std::vector<T>& found,
                 const std::vector<T>& expected, DataType type = DataType::kFloat32) {
  CheckPlan check{0, rtol, atol};
  check.how = how;
  ArgumentPlan output;
  output.name = "y";
  output.type = type;
  output.role = Role::kOut;
  return judged_on_host(check, output, array_of(type, found), array_of(type, expected));
}

const CompareRule kL2{CompareRule::Norm::kL2, false, false, false};
const CompareRule kAnyOrder{CompareRule::Norm::kNone, true, false, false};
const CompareRule kLargest{CompareRule::Norm::kNone, false, true, false};
const CompareRule kEqualNan{CompareRule::Norm::kNone, false, false, true};

TEST(HostJudgement, ANormLooksAtTheWhole) {
  const std::vector<float> right{3, 4, 0, 0};
  EXPECT_TRUE(judged(kL2, 1e-2, 0, {3, 4, 0.03F, 0}, right).right);
  const Judgement wrong = judged(kL2, 1e-2, 0, {3, 4, 0.06F, 0}, right);
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.why,
            "the l2 norm of the error is 0.06, allowed 0.05 (rtol 0.01 of the right answer's 5, "
            "atol 0)");
  EXPECT_NEAR(wrong.error, 0.06, 1e-6);
  EXPECT_FALSE(
      judged({CompareRule::Norm::kL1, false, false, false}, 1e-2, 0, {3.04F, 4.04F, 0, 0}, right)
          .right);
  EXPECT_TRUE(
      judged({CompareRule::Norm::kMax, false, false, false}, 1e-2, 0, {3.04F, 4.04F, 0, 0}, right)
          .right);
}

TEST(HostJudgement, NoNormHidesNanInfinityOrZeros) {
  const std::vector<float> right{3, 4, 0, 0};
  EXPECT_EQ(judged(kL2, 0.5, 0, {3, 4, kNan, 0}, right).why, "element 2 = nan, expected 0");
  EXPECT_FALSE(judged(kL2, 0.5, 0, {kInfinite, 4, 0, 0}, right).right);
  EXPECT_FALSE(judged(kL2, 0.5, 0, {0, 0, 0, 0}, right).right);
  // An infinite right value allows no more elsewhere.
  EXPECT_FALSE(judged(kL2, 0.5, 0, {kInfinite, 9, 0, 0}, {kInfinite, 4, 0, 0}).right);
  EXPECT_TRUE(judged(kL2, 0.5, 0, {kInfinite, 4, 0, 0}, {kInfinite, 4, 0, 0}).right);
  EXPECT_FALSE(judged(kL2, 0.5, 0, {-kInfinite, 4, 0, 0}, {kInfinite, 4, 0, 0}).right);
}

TEST(HostJudgement, InAnyOrderEachValueCountsOnce) {
  EXPECT_TRUE(judged(kAnyOrder, 0, 0, {3, 1, 2, 2}, {1, 2, 2, 3}).right);
  const Judgement doubled = judged(kAnyOrder, 0, 0, {3, 1, 1, 2}, {1, 2, 2, 3});
  EXPECT_FALSE(doubled.right);
  EXPECT_EQ(doubled.why,
            "number 1 in ascending order = 1, expected 2 (1 of 4 elements differ, max error 1, "
            "allowed 0)");
  EXPECT_FALSE(judged(kAnyOrder, 0, 0, {3, 1, 2, kNan}, {1, 2, 2, 3}).right);
  // Integers that are one double.
  using Long = std::int64_t;
  const Long big = (Long{1} << 60) + 1;
  EXPECT_FALSE(judged<Long>(kAnyOrder, 0, 0, {big, 5}, {5, big - 1}, DataType::kInt64).right);
  EXPECT_TRUE(judged<Long>(kAnyOrder, 0, 0, {big, 5}, {5, big}, DataType::kInt64).right);
}

TEST(HostJudgement, RelativeToTheLargestIsNoMoreThanThat) {
  const std::vector<float> right{1000, 0, -2000};
  EXPECT_TRUE(judged(kLargest, 1e-3, 0, {1001, 1.5F, -2000}, right).right);
  const Judgement wrong = judged(kLargest, 1e-3, 0, {1000, 2.5F, -2000}, right);
  EXPECT_EQ(wrong.why,
            "element 1 = 2.5, expected 0 (1 of 3 elements differ, max error 2.5, allowed 2: rtol "
            "0.001 of the largest, 2000)");
  // The largest is that of the right answer, not of the wrong one.
  EXPECT_FALSE(judged(kLargest, 1e-3, 0, {1000, 0, 1e9F}, right).right);
}

TEST(HostJudgement, NanEqualsNanAndNothingElse) {
  EXPECT_TRUE(judged(kEqualNan, 0, 0, {1, kNan}, {1, kNan}).right);
  EXPECT_EQ(judged(kEqualNan, 0, 0, {kNan, kNan}, {1, kNan}).why, "element 0 = nan, expected 1");
  EXPECT_EQ(judged(kEqualNan, 0, 0, {1, 2}, {1, kNan}).why, "element 1 = 2, expected nan");
  const CompareRule free{CompareRule::Norm::kNone, true, false, true};
  EXPECT_TRUE(judged(free, 0, 0, {kNan, 1}, {1, kNan}).right);
  EXPECT_EQ(judged(free, 0, 0, {kNan, kNan}, {1, kNan}).why, "2 elements are nan, expected 1");
  // What outputs start as is NaN, too.
  float poison = 0;
  std::memset(&poison, 0xFF, sizeof poison);
  EXPECT_EQ(judged(kEqualNan, 0, 0, {1, poison}, {1, kNan}).why,
            "element 1 was not written, or is NaN");
}

TEST(HostJudgement, HalfNumbersAreRead) {
  const auto bits = [](double value) {
    std::uint16_t word = 0;
    std::memcpy(&word, scalar_bytes(DataType::kFloat16, value).data(), 2);
    return word;
  };
  using Halves = std::vector<std::uint16_t>;
  const Halves right{bits(1), bits(-0.5), bits(6e-8)};
  EXPECT_TRUE(judged<std::uint16_t>(kAnyOrder, 0, 0, Halves{bits(6e-8), bits(1), bits(-0.5)}, right,
                                    DataType::kFloat16)
                  .right);
  EXPECT_EQ(judged<std::uint16_t>(kLargest, 0.1, 0, Halves{bits(1), bits(0), bits(0)}, right,
                                  DataType::kFloat16)
                .why,
            "element 1 = 0, expected -0.5 (1 of 3 elements differ, max error 0.5, allowed 0.1: "
            "rtol 0.1 of the largest, 1)");
}

}  // namespace
}  // namespace tuner
