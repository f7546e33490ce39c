#include "tuner/space/search_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tests/fakes/says.h"

namespace tuner {
namespace {

using Positions = std::vector<std::uint32_t>;

Parameter ints(std::string name, const std::vector<std::int64_t>& values) {
  Parameter out;
  out.name = std::move(name);
  for (std::int64_t value : values) out.values.emplace_back(value);
  return out;
}

Parameter range(std::string name, std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return ints(std::move(name), values);
}

SpaceDefinition define(std::vector<Parameter> parameters,
                       const std::vector<std::string>& constraints = {}) {
  SpaceDefinition out;
  out.parameters = std::move(parameters);
  for (const std::string& text : constraints) {
    out.constraints.push_back(Expression::parse_or_throw(text));
  }
  return out;
}

std::string complaint_of(SpaceDefinition definition, const BuildOptions& options = {}) {
  try {
    const auto space = SearchSpace::build(std::move(definition), options);
    ADD_FAILURE() << "accepted, " << space.report().valid << " valid";
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(SearchSpace, CountsThroughDerivedNamesAndFacts) {
  auto definition = define({range("a", 5), range("b", 5), range("c", 2)}, {"ab <= limit"});
  definition.derived.push_back({"ab", Expression::parse_or_throw("a * b")});
  definition.facts["limit"] = std::int64_t{4};
  const auto space = SearchSpace::build(std::move(definition));
  EXPECT_EQ(space.report().cartesian, "50");
  EXPECT_EQ(space.report().valid, "34");
  EXPECT_EQ(space.report().groups, (std::vector<std::vector<std::string>>{{"a", "b"}, {"c"}}));
}

TEST(SearchSpace, ConstraintsThatAlwaysHoldTieNothing) {
  const auto space = SearchSpace::build(define({range("a", 9), range("b", 9)}, {"a * b >= 0"}));
  EXPECT_EQ(space.report().groups.size(), 2U);
}

TEST(SearchSpace, TextAndBooleansTakePart) {
  Parameter shared{"SHARED", {Value(std::string("static")), Value(std::string("dynamic"))}, {}};
  Parameter pad{"PAD", {Value(false), Value(true)}, {}};
  const auto space = SearchSpace::build(define({shared, pad, ints("B", {16, 32, 64})},
                                               {"SHARED == 'dynamic' or B * (1 + PAD) <= 64"}));
  EXPECT_EQ(space.report().valid, "11");
  EXPECT_EQ(space.index_of(Configuration{std::string("static"), true, std::int64_t{64}}),
            std::nullopt);
  EXPECT_TRUE(space.index_of(Configuration{std::string("dynamic"), true, std::int64_t{64}}));
}

TEST(SearchSpace, AdjacentMeansTheNextValueInSize) {
  const auto space = SearchSpace::build(define({ints("a", {8, 1, 4, 2}), range("b", 2)}));
  std::vector<ConfigIndex> out;
  space.neighbours(Positions{2, 0}, Neighbourhood::kAdjacent, out);  // a = 4: 2 and 8
  std::vector<Configuration> near;
  for (ConfigIndex index : out) near.push_back(space.configuration(index));
  const auto has = [&](std::int64_t a, std::int64_t b) {
    return std::ranges::count(near, Configuration{a, b}) == 1;
  };
  EXPECT_EQ(near.size(), 3U);
  EXPECT_TRUE(has(8, 0) && has(2, 0) && has(4, 1));
}

TEST(SearchSpace, NeighboursOfAnInvalidConfigurationAreItsRepairs) {
  const auto space = SearchSpace::build(define({range("a", 4), range("b", 4)}, {"a < b"}));
  std::vector<ConfigIndex> out;
  space.neighbours(Positions{3, 3}, Neighbourhood::kHamming, out);
  EXPECT_EQ(out.size(), 3U);  // a in 0..2
}

TEST(SearchSpace, UnconstrainedSpacesOfAnySizeWork) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 30; ++p) parameters.push_back(range("p" + std::to_string(p), 10));
  const auto space = SearchSpace::build(define(parameters));
  EXPECT_EQ(space.report().valid, "1" + std::string(30, '0'));
  ConfigIndex ten_to_the_30 = 1;
  for (int p = 0; p < 30; ++p) ten_to_the_30 *= 10;
  EXPECT_TRUE(space.size() == ten_to_the_30);
  Positions positions(30);
  space.positions(space.size() - 1, positions);
  EXPECT_EQ(positions, Positions(30, 9));
  EXPECT_EQ(space.index_of(positions), space.size() - 1);
  std::vector<ConfigIndex> near;
  space.neighbours(positions, Neighbourhood::kHamming, near);
  EXPECT_EQ(near.size(), 270U);
  SpaceCursor cursor(space, space.size() - 2);
  cursor.next();
  EXPECT_TRUE(cursor.valid());
  cursor.next();
  EXPECT_FALSE(cursor.valid());
  EXPECT_FALSE(space.valid_hash().has_value());
}

TEST(SearchSpace, BeyondAllIndicesItStillCounts) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 40; ++p) parameters.push_back(range("p" + std::to_string(p), 10));
  const auto space = SearchSpace::build(define(parameters, {"p0 <= p1", "p38 + p39 < 10"}));
  EXPECT_EQ(space.report().valid, "3025" + std::string(36, '0'));
  EXPECT_EQ(space.size(), ~ConfigIndex{0});
  Positions positions(40);
  space.positions(123456789, positions);
  EXPECT_EQ(space.index_of(positions), 123456789);
  Positions high(40, 9);
  high[39] = 0;
  EXPECT_TRUE(space.contains(high));
  EXPECT_FALSE(space.index_of(high).has_value());
  high[39] = 1;
  EXPECT_FALSE(space.contains(high));
}

TEST(SearchSpace, FiveHundredTiedParametersAreNoProblem) {
  std::vector<Parameter> parameters;
  std::vector<std::string> constraints;
  for (int p = 0; p < 500; ++p) {
    parameters.push_back(range("p" + std::to_string(p), 3));
    if (p > 0) constraints.push_back("p" + std::to_string(p - 1) + " <= p" + std::to_string(p));
  }
  const auto space = SearchSpace::build(define(parameters, constraints));
  EXPECT_EQ(space.report().valid, "125751");  // choose(502, 2)
  Positions positions(500);
  space.positions(77777, positions);
  EXPECT_TRUE(std::ranges::is_sorted(positions));
  EXPECT_EQ(space.index_of(positions), 77777);
}

TEST(SearchSpace, AHundredThousandValuesAreNoProblem) {
  const auto space =
      SearchSpace::build(define({range("x", 100'000), range("y", 10), range("free", 100'000)},
                                {"x % 7 == 0", "x * y <= 1000"}));
  std::uint64_t expected = 0;
  for (std::uint64_t x = 0; x < 100'000; x += 7) {
    for (std::uint64_t y = 0; y < 10; ++y) expected += x * y <= 1000 ? 1 : 0;
  }
  EXPECT_EQ(space.report().valid, std::to_string(expected * 100'000));
}

// 64^5 products and sums, of which most are too large long before the last factor is chosen.
TEST(SearchSpace, WhatCanNoLongerHoldIsNotFollowed) {
  std::vector<Parameter> factors;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    std::vector<std::int64_t> values(64);
    std::iota(values.begin(), values.end(), 1);
    factors.push_back(ints(name, values));
  }
  const auto space = SearchSpace::build(
      define(std::move(factors), {"a * b * c * d * e <= 64", "a + b + c + d + e <= 40"}));
  EXPECT_EQ(space.report().valid, "3512");
  EXPECT_LT(space.report().peak_bytes, std::size_t{1} << 20);
}

TEST(SearchSpace, NoParametersMakeOneConfiguration) {
  const auto space = SearchSpace::build(define({}));
  EXPECT_EQ(space.size(), 1);
  EXPECT_EQ(space.index_of(Positions{}), 0);
  SpaceCursor cursor(space);
  EXPECT_TRUE(cursor.valid());
  cursor.next();
  EXPECT_FALSE(cursor.valid());
}

TEST(SearchSpace, FailedEvaluationsRejectAndAreReported) {
  const auto space = SearchSpace::build(define({range("x", 5), range("y", 2)}, {"8 % x == 0"}));
  EXPECT_EQ(space.report().valid, "6");  // x in 1, 2, 4
  const ConstraintReport& report = space.constraint_reports().at(0);
  EXPECT_EQ(report.removed, "4");
  EXPECT_TRUE(report.exact);
  EXPECT_EQ(report.errors, 1U);
  EXPECT_EQ(report.first_error, "division by zero at column 3 with x = 0");
}

TEST(SearchSpace, OverflowRejects) {
  const std::int64_t large = std::int64_t{1} << 62;
  const auto space = SearchSpace::build(define({ints("x", {1, large})}, {"x * 4 > 0"}));
  EXPECT_EQ(space.report().valid, "1");
  EXPECT_EQ(space.constraint_reports().at(0).errors, 1U);
}

TEST(SearchSpace, ReportsWhatEachConstraintRemovesAlone) {
  const auto space = SearchSpace::build(
      define({range("a", 10), range("b", 10), range("c", 10)}, {"a < b", "c < 100", "c == 100"}));
  const auto& reports = space.constraint_reports();
  EXPECT_EQ(reports[0].removed, "550");
  EXPECT_EQ(reports[1].removed, "0");
  EXPECT_EQ(reports[2].removed, "1000");
  EXPECT_DOUBLE_EQ(reports[0].removed_fraction, 0.55);
}

// It would take minutes if the count of each read all of them.
TEST(SearchSpace, ReportsOnEachOfManyConstraints) {
  std::vector<std::string> constraints;
  for (int i = 0; i < 20000; ++i) constraints.push_back("a + " + std::to_string(i) + " > 0");
  const auto space = SearchSpace::build(define({range("a", 2)}, constraints));
  EXPECT_EQ(space.constraint_reports().size(), 20000U);
  EXPECT_EQ(space.constraint_reports()[0].removed, "1");
}

// The product of all lists is 2^1100 here.
TEST(SearchSpace, SharesOfSpacesLargerThanAnyDoubleAreNumbers) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 1100; ++i) parameters.push_back(range("p" + std::to_string(i), 2));
  const auto space = SearchSpace::build(define(std::move(parameters), {"p0 == 0", "p1 < 2"}));
  EXPECT_DOUBLE_EQ(space.constraint_reports()[0].removed_fraction, 0.5);
  EXPECT_EQ(space.constraint_reports()[1].removed_fraction, 0);
}

TEST(SearchSpace, AnEmptySpaceNamesTheConstraintsThatContradict) {
  const auto space = SearchSpace::build(
      define({range("a", 10), range("b", 10)}, {"a > b", "a + b < 15", "b > a"}));
  EXPECT_EQ(space.size(), 0);
  EXPECT_EQ(space.report().valid, "0");
  EXPECT_EQ(space.why_empty(), "no configuration satisfies all of 'a > b'; 'b > a'");
  EXPECT_FALSE(space.index_of(Positions{1, 2}).has_value());
  EXPECT_FALSE(SpaceCursor(space).valid());
  std::vector<ConfigIndex> near{1};
  space.neighbours(Positions{1, 2}, Neighbourhood::kHamming, near);
  EXPECT_TRUE(near.empty());
}

TEST(SearchSpace, AConstraintWithoutParametersCanEmptyIt) {
  const auto space = SearchSpace::build(define({range("a", 2)}, {"1 > 2", "10 ** 30 > 1"}));
  EXPECT_EQ(space.size(), 0);
}

TEST(SearchSpace, BadDefinitionsAreInputErrorsWithEveryComplaint) {
  auto unknown = define({range("BM", 2), range("TM", 2)}, {"BMM % TM == 0", "warp > 1"});
  const std::string text = complaint_of(std::move(unknown));
  EXPECT_TRUE(says(text, "'BMM'"));
  EXPECT_TRUE(says(text, "did you mean 'BM'?"));
  EXPECT_TRUE(says(text, "'warp'"));
  EXPECT_TRUE(says(complaint_of(define({ints("a", {1, 2, 1})})), "more than once"));
  EXPECT_TRUE(says(complaint_of(define({ints("a", {})})), "no values"));
  EXPECT_TRUE(says(complaint_of(define({range("a", 2), range("a", 2)})), "has the name of"));
  Parameter mixed{"m", {Value(true), Value(1.0)}, {}};
  EXPECT_TRUE(says(complaint_of(define({mixed})), "more than once"));
}

// Known exactly only to the tree evaluator, these would be 2^36 states.
TEST(SearchSpace, BitsAndTuplesTieManyParametersTogether) {
  SpaceDefinition definition;
  std::string all = "p0";
  for (int p = 0; p < 6; ++p) {
    Parameter parameter{"p" + std::to_string(p), {}, {}};
    for (std::int64_t v = 0; v < 64; ++v) parameter.values.emplace_back(v);
    definition.parameters.push_back(std::move(parameter));
    if (p > 0) all += " ^ p" + std::to_string(p);
  }
  definition.constraints.push_back(Expression::parse_or_throw(all + " == 5"));
  EXPECT_EQ(SearchSpace::build(definition).report().valid, std::to_string(std::int64_t{1} << 30));
  definition.constraints.push_back(
      Expression::parse_or_throw("(p0 << 1, p1 >> 1, p2) in [(2, 1, 7), (4, 3, 9)]"));
  definition.constraints.push_back(Expression::parse_or_throw(
      "any([p3 == 1, p3 & (p3 - 1) == 0]) and all([p4 > 1, p5 | 1 > 0])"));
  // p1 has two values for each tuple, p3 seven; p4 and p5 are tied by the first rule.
  const auto space = SearchSpace::build(definition);
  std::uint64_t expected = 0;
  for (const auto& [p0, p1, p2] : {std::tuple(1, 2, 7), {1, 3, 7}, {2, 6, 9}, {2, 7, 9}}) {
    for (int p3 : {0, 1, 2, 4, 8, 16, 32}) {
      for (int p4 = 2; p4 < 64; ++p4) expected += (p0 ^ p1 ^ p2 ^ p3 ^ p4 ^ 5) < 64 ? 1 : 0;
    }
  }
  EXPECT_EQ(space.report().valid, std::to_string(expected));
}

TEST(SearchSpace, HostileSpacesEndWithAMessageThatNamesTheConstraint) {
  std::vector<Parameter> parameters;
  std::string sum = "0.0";
  for (int p = 0; p < 6; ++p) {
    Parameter parameter;
    parameter.name = "p" + std::to_string(p);
    for (int v = 1; v <= 200; ++v) parameter.values.emplace_back(1.0 / (v + 211 * p));
    sum += " + " + parameter.name + " * " + parameter.name;
    parameters.push_back(std::move(parameter));
  }
  BuildOptions options;
  options.memory_limit = std::size_t{16} << 20;
  const std::string text =
      complaint_of(define(parameters, {"(" + sum + ") * 1000 % 1 < 0.5"}), options);
  EXPECT_TRUE(says(text, "spans 6 parameters"));
  EXPECT_TRUE(says(text, "16 MiB"));
}

TEST(SearchSpace, SpacesThatTakeHoursEndWithAMessageAtOnce) {
  const std::string text =
      complaint_of(define({range("a", 400000), range("b", 400000)}, {"a * b == 400000"}));
  EXPECT_TRUE(says(text,
                   "'a * b == 400000' spans 2 parameters and makes the space too large to be "
                   "built in an hour: it is tried for every pair of values"));
}

TEST(SearchSpace, BuildingCanBeInterrupted) {
  BuildOptions options;
  options.cancelled = [] { return true; };
  EXPECT_THROW(SearchSpace::build(define({range("a", 3)}), options), FatalError);
}

TEST(SearchSpace, TheDigestFollowsWhatDefinesTheSet) {
  const auto digest = [](const std::string& rule, std::int64_t values) {
    return SearchSpace::build(define({range("a", values)}, {rule})).digest();
  };
  EXPECT_EQ(digest("a > 0", 5), digest("a > 0", 5));
  EXPECT_NE(digest("a > 0", 5), digest("a > 1", 5));
  EXPECT_NE(digest("a > 0", 5), digest("a > 0", 6));
}

}  // namespace
}  // namespace tuner
