// The words for a wrong answer.

#include "tuner/engine/difference.h"

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
  Comparison out;
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

}  // namespace
}  // namespace tuner
