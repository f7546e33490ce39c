#include "tuner/space/nearest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tuner {
namespace {

Value whole(std::int64_t value) { return value; }

SearchSpace space_of(std::vector<Parameter> parameters, const std::string& rule = "1 == 1") {
  SpaceDefinition definition;
  definition.parameters = std::move(parameters);
  definition.constraints = {Expression::parse_or_throw(rule)};
  return SearchSpace::build(std::move(definition));
}

std::vector<std::string> texts(const SearchSpace& space, const std::vector<ConfigIndex>& found) {
  std::vector<std::string> out;
  for (const ConfigIndex index : found) {
    std::string text;
    for (const Value& value : space.configuration(index)) text += to_text(value) + " ";
    out.push_back(text);
  }
  return out;
}
using Texts = std::vector<std::string>;

SearchSpace tiles(const std::string& rule = "1 == 1") {
  return space_of({{"M", {whole(16), whole(32), whole(64), whole(128)}, {}},
                   {"N", {whole(16), whole(32), whole(64), whole(128)}, {}},
                   {"FORM", {std::string("a"), std::string("b")}, {}}},
                  rule);
}

TEST(Nearest, AValidConfigurationIsItsOwnNearest) {
  const SearchSpace space = tiles();
  const auto found = nearest_to(space, {whole(32), whole(64), std::string("b")}, 4);
  EXPECT_EQ(texts(space, found), Texts{"32 64 b "});
}

TEST(Nearest, NumbersAreNearByTheirRatio) {
  const SearchSpace space = tiles();
  // 100 / 64 is a larger ratio than 128 / 100.
  const auto found = nearest_to(space, {whole(100), whole(1), std::string("a")}, 4);
  EXPECT_EQ(texts(space, found), Texts{"128 16 a "});
}

TEST(Nearest, WhatIsNotValidTogetherMovesAsLittleAsItCan) {
  const SearchSpace space = tiles("M * N <= 2048 and (FORM == 'b' or M > N)");
  const auto found = nearest_to(space, {whole(64), whole(64), std::string("b")}, 4);
  EXPECT_EQ(texts(space, found), (Texts{"32 64 b ", "64 32 b "}));
}

TEST(Nearest, WhatIsLeftOpenIsSpreadOverAllThatFit) {
  const SearchSpace space = tiles();
  const auto found = nearest_to(space, {whole(32), std::nullopt, std::nullopt}, 4);
  EXPECT_EQ(texts(space, found), (Texts{"32 16 a ", "32 32 a ", "32 64 a ", "32 128 a "}));
  EXPECT_EQ(nearest_to(space, {whole(32), std::nullopt, std::nullopt}, 100).size(), 8U);
}

TEST(Nearest, NegativeNumbersAreNearByTheValuesBetween) {
  const SearchSpace space =
      space_of({{"SHIFT", {whole(-8), whole(0), whole(1), whole(2)}, {}}}, "SHIFT != 0");
  EXPECT_EQ(texts(space, nearest_to(space, {whole(-1)}, 1)), Texts{"-8 "});
}

TEST(Nearest, AnEmptySpaceHasNone) {
  const SearchSpace space = tiles("M > 1000");
  EXPECT_TRUE(nearest_to(space, {whole(16), whole(16), std::string("a")}, 4).empty());
}

TEST(Nearest, OfASpaceThatIsTooLargeToLookAtAllIsFoundByDescending) {
  std::vector<Parameter> parameters;
  WishedValues wishes;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H"}) {
    parameters.push_back({name, {}, {}});
    for (int i = 0; i < 16; ++i) parameters.back().values.push_back(whole(1 << i));
    wishes.emplace_back(whole(256));
  }
  const SearchSpace space = space_of(parameters, "A * B <= 16384");
  ASSERT_GT(space.size(), ConfigIndex{1} << 30);
  const Configuration found = space.configuration(nearest_to(space, wishes, 4).at(0));
  EXPECT_EQ(space.configuration(nearest_to(space,
                                           {whole(1), whole(2), std::nullopt, whole(4), whole(8),
                                            whole(1), whole(1), whole(2)},
                                           4)
                                    .at(0)),
            (Configuration{whole(1), whole(2), whole(1), whole(4), whole(8), whole(1), whole(1),
                           whole(2)}));
  double logarithms = 0;
  for (std::size_t p = 0; p < 2; ++p) logarithms += std::log2(to_number(found[p]));
  EXPECT_EQ(logarithms, 14);  // two steps away, whichever of both takes them
  for (std::size_t p = 2; p < found.size(); ++p) EXPECT_EQ(to_text(found[p]), "256");
}

}  // namespace
}  // namespace tuner
