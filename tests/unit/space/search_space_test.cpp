#include "tuner/space/search_space.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

Parameter ints(std::string name, std::vector<std::int64_t> values) {
  Parameter p;
  p.name = std::move(name);
  for (std::int64_t v : values) p.values.emplace_back(v);
  return p;
}

SpaceDefinition small_space() {
  SpaceDefinition d;
  d.parameters = {ints("a", {1, 2, 3, 4}), ints("b", {1, 2, 3, 4}), ints("c", {0, 1})};
  d.derived.push_back({"ab", Expression::parse_or_throw("a * b")});
  d.constraints.push_back(Expression::parse_or_throw("ab <= limit"));
  d.facts["limit"] = std::int64_t{4};
  return d;
}

TEST(SearchSpace, CountsThroughDerivedNamesAndFacts) {
  const auto space = SearchSpace::build(small_space());
  EXPECT_EQ(space.report().cartesian, "32");
  EXPECT_EQ(space.report().valid, "16");
  EXPECT_EQ(space.report().groups.size(), 2U);
}

TEST(SearchSpace, IndexAndConfigurationAreInverse) {
  const auto space = SearchSpace::build(small_space());
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    EXPECT_EQ(space.index_of(space.configuration(i)), i);
  }
}

TEST(SearchSpace, NeighboursDifferInOneParameter) {
  const auto space = SearchSpace::build(small_space());
  std::vector<ConfigIndex> out;
  const std::vector<std::uint32_t> at{0, 0, 0};
  space.neighbours(at, Neighbourhood::kHamming, out);
  EXPECT_EQ(out.size(), 7U);
  space.neighbours(at, Neighbourhood::kAdjacent, out);
  EXPECT_EQ(out.size(), 3U);
}

TEST(SearchSpace, UnknownNamesAreInputErrors) {
  auto d = small_space();
  d.constraints.push_back(Expression::parse_or_throw("aa > limt"));
  EXPECT_THROW(SearchSpace::build(std::move(d)), InputError);
}

}  // namespace
}  // namespace tuner
