// The words for a wrong answer, and judgements by rules that no backend has.

#include "tuner/measure/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tuner {
namespace {

ArgumentPlan output(DataType type, Role role = Role::kOut) {
  ArgumentPlan argument;
  argument.name = "y";
  argument.type = type;
  argument.elements = 9;
  argument.role = role;
  return argument;
}

Comparison difference(double value, double expected) {
  Comparison out{};
  out.mismatches = 2;
  out.first_mismatch = 5;
  out.first_value = value;
  out.first_expected = expected;
  out.max_abs_error = std::abs(value - expected);
  return out;
}

TEST(Describe, IntegersAreInFullAndPoisonIsSaid) {
  EXPECT_EQ(describe(output(DataType::kUInt32), {}, difference(2779168000, 2779101000)),
            "y[5] = 2779168000, expected 2779101000 (2 of 9 elements differ, max error 67000; an "
            "output starts as poison, 2779096485)");
  EXPECT_EQ(describe(output(DataType::kUInt32), {}, difference(2779096485, 7)),
            "y[5] = 2779096485, expected 7 (2 of 9 elements differ, max error 2.7791e+09; it was "
            "never written)");
  EXPECT_EQ(describe(output(DataType::kInt32), {}, difference(-1515870811, 7)),
            "y[5] = -1515870811, expected 7 (2 of 9 elements differ, max error 1.51587e+09; it was "
            "never written)");
  EXPECT_EQ(describe(output(DataType::kInt32), {}, difference(8, 7)),
            "y[5] = 8, expected 7 (2 of 9 elements differ, max error 1)");
}

TEST(Describe, AnElementIsNamedByTheExtentsOfTheStudy) {
  ArgumentPlan argument = output(DataType::kInt32);
  argument.extents = {9};
  EXPECT_TRUE(describe(argument, {}, difference(8, 7)).starts_with("y[5] = 8"));
  argument.extents = {3, 3};
  EXPECT_TRUE(describe(argument, {}, difference(8, 7)).starts_with("y[1][2] = 8"));
  argument.extents = {1, 3, 3};
  EXPECT_TRUE(describe(argument, {}, difference(8, 7)).starts_with("y[0][1][2] = 8"));
}

TEST(Describe, WhatAnInoutHoldsIsNoPoison) {
  EXPECT_EQ(describe(output(DataType::kUInt32, Role::kInOut), {}, difference(2779096485, 7)),
            "y[5] = 2779096485, expected 7 (2 of 9 elements differ, max error 2.7791e+09)");
}

TEST(Describe, ALittleMoreToleranceIsNamedWhereItMayBeRounding) {
  EXPECT_EQ(describe(output(DataType::kFloat32), {0, 1e-9, 0}, difference(0.130004, 0.13)),
            "y[5] = 0.130004, expected 0.13 (2 of 9 elements differ, max error 4e-06; allowed "
            "1.3e-10 (rtol 1e-09, atol 0); atol: 4.2e-06 would pass: rounding?)");
  EXPECT_EQ(describe(output(DataType::kFloat32), {0, 1e-9, 0}, difference(0, 1.3)),
            "y[5] = 0, expected 1.3 (2 of 9 elements differ, max error 1.3)");
}

TEST(Describe, RoundingIsMeasuredByTheLargestValue) {
  const std::string near_zero = describe(output(DataType::kFloat32), {0, 1e-4, 1e-5},
                                         difference(0.5025, 0.5), {8000, 0, false});
  EXPECT_EQ(near_zero,
            "y[5] = 0.5025, expected 0.5 (2 of 9 elements differ, max error 0.0025; allowed 6e-05 "
            "(rtol 0.0001, atol 1e-05); atol: 2.6e-03 would pass: rounding?)");
  EXPECT_EQ(evidence_of(output(DataType::kFloat32), {0, 1e-4, 1e-5}, difference(0.5025, 0.5),
                        {8000, 0, false}),
            Evidence::kRounding);
  const std::string small = describe(output(DataType::kFloat32), {0, 1e-9, 0},
                                     difference(0.0002, 0.0001), {0.0001, 0, false});
  EXPECT_EQ(small, "y[5] = 0.0002, expected 0.0001 (2 of 9 elements differ, max error 0.0001)");
  EXPECT_EQ(evidence_of(output(DataType::kFloat32), {0, 1e-9, 0}, difference(0.0002, 0.0001),
                        {0.0001, 0, false}),
            Evidence::kNone);
}

TEST(Describe, NanEverywhereIsWhatOutputsStartAs) {
  Comparison all = difference(NAN, 3);
  all.mismatches = 9;
  const std::string text = describe(output(DataType::kFloat32), {}, all, {3, 9, false});
  EXPECT_EQ(text,
            "y[5] = nan, expected 3 (9 of 9 elements differ, max error nan; nan is what outputs "
            "start as: all were not written, or are nan)");
  EXPECT_EQ(evidence_of(output(DataType::kFloat32), {}, all, {3, 9, false}), Evidence::kNan);
}

TEST(Describe, ElementsThatWereNotWrittenAreCounted) {
  const std::string text =
      describe(output(DataType::kFloat32), {}, difference(NAN, 3), {3, 4, false, 4});
  EXPECT_EQ(text,
            "y[5] = nan, expected 3 (2 of 9 elements differ, max error nan; 4 elements were not "
            "written)");
  EXPECT_EQ(evidence_of(output(DataType::kFloat32), {}, difference(NAN, 3), {3, 4, false, 4}),
            Evidence::kUnwritten);
}

TEST(Describe, TheSameValuesInOtherPlacesAreSaid) {
  const std::string text = describe(output(DataType::kInt32), {}, difference(8, 7), {0, 0, true});
  EXPECT_EQ(text,
            "y[5] = 8, expected 7 (2 of 9 elements differ, max error 1; the same values in other "
            "places: is their order free?)");
  EXPECT_EQ(evidence_of(output(DataType::kInt32), {}, difference(8, 7), {0, 0, true}),
            Evidence::kPlaces);
}

TEST(Evidence, AllElementsAreMoreThanSome) {
  Comparison all = difference(8, 7);
  all.mismatches = 9;
  EXPECT_EQ(evidence_of(output(DataType::kInt32), {}, all, {}), Evidence::kEverywhere);
  EXPECT_EQ(evidence_of(output(DataType::kInt32), {}, difference(8, 7), {}), Evidence::kNone);
}

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
HostJudgement judged(const CompareRule& how, double rtol, double atol, const std::vector<T>& found,
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
