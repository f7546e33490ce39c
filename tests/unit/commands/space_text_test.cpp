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

}  // namespace
}  // namespace tuner
