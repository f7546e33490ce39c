// Which configurations a study has, asked one by one.

#include "tuner/resolve/membership.h"

#include <gtest/gtest.h>

#include "tests/unit/resolve/studies.h"
#include "tuner/resolve/names_at.h"
#include "tuner/resolve/resolve.h"

namespace tuner::test {
namespace {

bool has(const Study& study, const Configuration& one, bool device_known = true) {
  const Bindings names = bindings_of(study, one, h200(), study.sizes.front());
  return Membership(study).has(one, names, device_known);
}

Configuration of(std::int64_t block, std::int64_t vec) { return {block, vec}; }

TEST(Membership, IsOfTheListsAndTheConstraints) {
  Study study = scale_study();
  EXPECT_TRUE(has(study, of(128, 4)));
  EXPECT_FALSE(has(study, of(128, 8)));
  EXPECT_TRUE(has(study, {64.0, std::int64_t{4}})) << "the same number";
  EXPECT_FALSE(has(study, {"64", std::int64_t{4}}));
  study.constraints = {expr("per_block <= n // 5")};
  EXPECT_TRUE(has(study, of(64, 2)));
  EXPECT_FALSE(has(study, of(128, 2)));
  study.constraints = {expr("BLOCK // (VEC - 1) > 1")};
  EXPECT_FALSE(has(study, of(64, 1))) << "it has no value there";
}

TEST(Membership, APartThatARunMeasuresChangesNothing) {
  Study study = scale_study();
  study.only = {expr("BLOCK == 64")};
  EXPECT_TRUE(has(study, of(128, 4)));
  EXPECT_EQ(Membership(study).digest(), Membership(scale_study()).digest());
  study.constraints = study.only;
  EXPECT_NE(Membership(study).digest(), Membership(scale_study()).digest());
}

TEST(Membership, RulesAboutADeviceThatNobodyKnowsAreNotAsked) {
  Study study = scale_study();
  study.derived.push_back({"fits", expr("BLOCK > device.max_threads_per_block")});
  study.constraints = {expr("fits")};
  EXPECT_FALSE(has(study, of(128, 4)));
  EXPECT_TRUE(has(study, of(128, 4), false));
}

TEST(Membership, ThousandsThatAreListedAreLookedUpInTheSpace) {
  Study study = scale_study();
  study.constraints = {expr("(BLOCK, VEC) in [(64, 1), (128, 4)]")};
  const Bindings facts = facts_of(study.sizes.front(), h200());
  const Membership members(study);
  EXPECT_FALSE(members.space_for(1000, facts, true)) << "asking is faster";
  const auto space = members.space_for(100'000'000, facts, true);
  ASSERT_TRUE(space);
  for (const std::int64_t block : {64, 128}) {
    for (const std::int64_t vec : {1, 2, 4}) {
      EXPECT_EQ(space->index_of(of(block, vec)).has_value(), has(study, of(block, vec)));
    }
  }
}

// A derived name without a value is not there, whatever it was for the configuration before.
TEST(NamesAt, OfOneConfigurationAfterTheOtherTheyAreThoseOfEach) {
  Study study;
  study.parameters = {{"BM", {std::int64_t{0}, std::int64_t{16}}, {}}};
  study.derived = {{"tiles", Expression::parse_or_throw("M // BM")},
                   {"more", Expression::parse_or_throw("tiles + 1")}};
  const ProblemSize size{{{"M", 64}}};
  NamesAt names(study, h200(), size);
  for (const std::int64_t value : {16, 0, 16}) {
    const Configuration one{Value(value)};
    EXPECT_EQ(names.of(one), bindings_of(study, one, h200(), size)) << value;
    EXPECT_EQ(names.of(one).contains("tiles"), value > 0);
    EXPECT_EQ(names.of(one).contains("more"), value > 0);
  }
}

// What does not change is not evaluated again, and what does is, also where it was passed over.
TEST(NamesAt, ConstraintsHoldAsThoseOfEachConfiguration) {
  Study study;
  study.parameters = {{"A", {std::int64_t{0}, std::int64_t{1}, 0.0, -0.0, true}, {}},
                      {"B", {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}}, {}}};
  study.derived = {{"share", Expression::parse_or_throw("M // B")},
                   {"half", Expression::parse_or_throw("share // 2")},
                   {"unused", Expression::parse_or_throw("A + half")}};
  study.constraints = {Expression::parse_or_throw("A == 0 or half > 8"),
                       Expression::parse_or_throw("B != 1 or A == 0")};
  study.only = {Expression::parse_or_throw("half % 32 == 0 or A == 0 and half > 8")};
  const ProblemSize size{{{"M", 64}}};
  NamesAt names(study, h200(), size);
  for (int round = 0; round < 3; ++round) {
    for (const Value& a : study.parameters[0].values) {
      for (const Value& b : study.parameters[1].values) {
        const Configuration one = round == 1 ? Configuration{b, a} : Configuration{a, b};
        const Bindings all = bindings_of(study, one, h200(), size);
        EXPECT_EQ(names.hold(one), constraints_hold(study, all))
            << to_text(one[0]) + " " + to_text(one[1]);
        if (round == 2) EXPECT_EQ(names.of(one), all) << to_text(one[0]) + " " + to_text(one[1]);
      }
    }
  }
}

}  // namespace
}  // namespace tuner::test
