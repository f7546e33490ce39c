// The words for a wrong answer.

#include "tuner/measure/difference.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Describe, IntegersAreInFullAndAddedToPoisonIsSaid) {
  EXPECT_EQ(describe(output(DataType::kUInt32), {}, difference(2779168000, 2779101000)),
            "y[5] = 2779168000, expected 2779101000 (2 of 9 elements differ, max error 67000; an "
            "output starts as poison: a kernel that adds to it needs role: inout)");
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
  EXPECT_EQ(evidence_in(near_zero), Evidence::kRounding);
  const std::string small = describe(output(DataType::kFloat32), {0, 1e-9, 0},
                                     difference(0.0002, 0.0001), {0.0001, 0, false});
  EXPECT_EQ(small, "y[5] = 0.0002, expected 0.0001 (2 of 9 elements differ, max error 0.0001)");
  EXPECT_EQ(evidence_in(small), Evidence::kNone);
}

TEST(Describe, NanEverywhereIsWhatAddingToAnOutputLeaves) {
  Comparison all = difference(NAN, 3);
  all.mismatches = 9;
  const std::string text = describe(output(DataType::kFloat32), {}, all, {3, 9, false});
  EXPECT_EQ(
      text,
      "y[5] = nan, expected 3 (9 of 9 elements differ, max error nan; nan is what outputs "
      "start as: it was not written, or is one; all are: a kernel that adds to it needs role: "
      "inout)");
  EXPECT_EQ(evidence_in(text), Evidence::kNan);
}

TEST(Describe, TheSameValuesInOtherPlacesAreSaid) {
  const std::string text = describe(output(DataType::kInt32), {}, difference(8, 7), {0, 0, true});
  EXPECT_EQ(text,
            "y[5] = 8, expected 7 (2 of 9 elements differ, max error 1; the same values in other "
            "places: is their order free?)");
  EXPECT_EQ(evidence_in(text), Evidence::kPlaces);
}

TEST(Evidence, IsReadFromMessages) {
  EXPECT_EQ(evidence_in("right in some launches, wrong in another: y[0] = 1, expected 2 (9 of 9 "
                        "elements differ, max error 1)"),
            Evidence::kNowAndThen);
  EXPECT_EQ(evidence_in("y[0] = 1, expected 2 (9 of 9 elements differ, max error 1)"),
            Evidence::kEverywhere);
  EXPECT_EQ(evidence_in("y[0] = 1, expected 2 (9 of 19 elements differ, max error 1)"),
            Evidence::kNone);
  EXPECT_EQ(evidence_in("writes past the end of y"), Evidence::kNone);
  EXPECT_EQ(evidence_in(" elements differ"), Evidence::kNone);
}

}  // namespace
}  // namespace tuner
