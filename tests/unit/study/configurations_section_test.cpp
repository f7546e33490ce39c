#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"
#include "tuner/space/search_space.h"

namespace tuner::testing {
namespace {

SearchSpace space_of(const std::string& yaml) {
  const Study study = accepted(yaml);
  return SearchSpace::build({study.parameters, study.derived, study.constraints, {}});
}

TEST(ConfigurationsSection, ParametersAndValuesFollowFromTheList) {
  const Study study = accepted(R"yaml(schema: 1
configurations:
  - {BX: 32, FORM: "it's", SCALE: 0.5, FAST: true}
  - {BX: 16, FORM: plain, SCALE: 1, FAST: false}
  - {FAST: true, BX: 16, SCALE: 0.5, FORM: plain}
)yaml");
  EXPECT_EQ(parameter_names(study.parameters),
            (std::vector<std::string>{"BX", "FORM", "SCALE", "FAST"}));
  EXPECT_EQ(study.parameters[0].values, (std::vector<Value>{std::int64_t{16}, std::int64_t{32}}));
  EXPECT_EQ(study.parameters[1].values, (std::vector<Value>{"it's", "plain"}));
  const auto space = SearchSpace::build({study.parameters, {}, study.constraints, {}});
  EXPECT_EQ(space.report().valid, "3");
  EXPECT_TRUE(space.index_of(Configuration{std::int64_t{32}, "it's", 0.5, true}));
  EXPECT_FALSE(space.index_of(Configuration{std::int64_t{32}, "plain", 0.5, true}));
}

TEST(ConfigurationsSection, ConstraintsAndGivenParametersHoldBesides) {
  const auto space = space_of(R"yaml(schema: 1
parameters: {BX: [8, 16, 32], VEC: [4]}
configurations: [{BX: 8, BY: 1}, {BX: 16, BY: 2}, {BX: 16, BY: 3, VEC: 4}]
constraints: [BX * BY <= 32]
)yaml");
  EXPECT_EQ(space.report().valid, "2");
  EXPECT_EQ(space.parameters()[0].values.size(), 3U);
  EXPECT_EQ(space_of("schema: 1\nconfigurations: [{B: 2**5}, {B: 64}]\n").report().valid, "2");
}

TEST(ConfigurationsSection, ThousandsAreWalkedOneByOne) {
  std::string yaml = "schema: 1\nconfigurations:\n";
  for (int i = 0; i < 1000; ++i) {
    yaml += fmt::format("  - {{A: {}, B: {}, C: {}, D: {}, E: t{}, F: {}}}\n", i % 64, i % 100,
                        i / 7, i * i % 31, i % 5, i);
  }
  const auto space = space_of(yaml + "constraints: [F % 3 != 0]\n");
  EXPECT_EQ(space.report().valid, "666");
  EXPECT_LT(space.report().build_seconds, 10);
  std::vector<std::uint32_t> positions(6);
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    space.positions(i, positions);
    ASSERT_NE(positions[5] % 3, 0U);
    ASSERT_EQ(positions[0], positions[5] % 64);
  }
}

TEST(ConfigurationsSection, EveryMistakeHasItsPlace) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {BX: [16, 32]}
configurations:
  - {BX: 16, BY: 8}
  - {BX: 48, BY: 8}
  - {BX: 16, BZ: 8}
  - {BX: 32}
  - {BY: 8.0, BX: 16}
  - [16, 8]
  - {BX: 16, BY: [8]}
)yaml"),
            R"text(study.yaml:5:10: 'BX' has no value 48 (one of 16 or 32)
study.yaml:6:14: there is no parameter 'BZ' (did you mean 'BX'?)
study.yaml:7:5: this configuration says nothing of 'BY' (only parameters with a single value may be left out)
study.yaml:8:5: this configuration is in the list twice (line 4)
study.yaml:9:5: a configuration must be a map (key: value), not a list
study.yaml:10:18: 'BY' must be a number, a boolean or text, not a list)text");
  EXPECT_EQ(complaints_of("schema: 1\nconfigurations: []\n"),
            "study.yaml:2:17: 'configurations' is empty: there is nothing to try");
  EXPECT_EQ(complaints_of("schema: 1\nconfigurations: [{if: 1}, {if: 2}]\n"),
            "study.yaml:2:19: 'if' is a word of the expression language and cannot be a parameter");
  EXPECT_EQ(complaints_of("schema: 1\nconfigurations: {B: 1}\n"),
            "study.yaml:2:17: 'configurations' must be a list, not a map");
}

}  // namespace
}  // namespace tuner::testing
