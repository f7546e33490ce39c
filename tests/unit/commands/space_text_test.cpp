// What `check` says of a space.

#include "tuner/commands/space_text.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(SpaceText, OnlyParametersThatShareAConstraintAreTied) {
  SpaceDefinition definition;
  for (const char* name : {"A", "B", "FREE"}) {
    definition.parameters.push_back(
        {name, {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}, {}});
  }
  definition.constraints.push_back(Expression::parse_or_throw("A * B <= 4"));
  const std::string text = space_text(SearchSpace::build(std::move(definition)));
  EXPECT_NE(text.find("constrained together: A, B\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("constrained together: FREE"), std::string::npos) << text;
}

// Too many pairs to count; the tries find none of the few that are left.
TEST(SpaceText, WhatWasOnlyTriedIsNoMistakeYet) {
  SpaceDefinition definition;
  for (const char* name : {"GS", "LS"}) {
    Parameter parameter{name, {}, {}};
    for (std::int64_t i = 1; i <= 1 << 20; ++i) parameter.values.emplace_back(i);
    definition.parameters.push_back(std::move(parameter));
  }
  for (const char* rule : {"GS % LS == 0 and LS > 1000", "65536 % GS == 0"}) {
    definition.constraints.push_back(Expression::parse_or_throw(rule));
  }
  const std::string text = space_text(SearchSpace::build(std::move(definition)));
  EXPECT_NE(text.find("removes ~100.0 %  GS % LS == 0 and LS > 1000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("removes  100.0 %  65536 % GS == 0\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace tuner
