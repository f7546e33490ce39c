#include "tuner/run/proposals.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/resolve/studies.h"

namespace tuner::test {
namespace {

// BLOCK is 64 or 128, VEC 1, 2 or 4.
Proposals read(const std::string& text) {
  return read_proposals(text, "a.json", scale_study().parameters);
}
std::string said(const std::string& text) { return faults_text(read(text).faults); }

TEST(Proposals, EachMapIsAWishThatMayLeaveParametersOpen) {
  const Proposals found = read("[{\"VEC\": 4, \"BLOCK\": 128}, {\"VEC\": 2.0}, {\"BLOCK\": 96}]");
  EXPECT_EQ(faults_text(found.faults), "");
  EXPECT_EQ(found.proposed, 3U);
  const Value large = std::int64_t{128}, four = std::int64_t{4}, two = std::int64_t{2},
              odd = std::int64_t{96};
  EXPECT_EQ(found.wishes,
            (std::vector<WishedValues>{{large, four}, {std::nullopt, two}, {odd, std::nullopt}}));
}

TEST(Proposals, AnEmptyListProposesNothing) {
  EXPECT_TRUE(read("[]").wishes.empty());
  EXPECT_TRUE(read(" [ ]\n").faults.empty());
}

TEST(Proposals, WhatIsNoListIsOneMistake) {
  EXPECT_EQ(said("hello"), "a.json:1:1: this is not valid JSON");
  EXPECT_EQ(said(""), "a.json:1:1: this is empty, not a JSON list");
  EXPECT_EQ(said("[{\"VEC\": 1},\n {\"VEC\": }]"), "a.json:2:10: this is not valid JSON");
  EXPECT_EQ(said("{\"VEC\": 1}"), "a.json:1:1: this is a map, not a list of configurations");
  EXPECT_EQ(said("[1e999]"), "a.json:1:1: this is not valid JSON");
  EXPECT_EQ(said(std::string(100000, '[')), "a.json:1:100001: this is not valid JSON");
}

TEST(Proposals, AMistakeIsAtItsConfigurationAndTheOthersCount) {
  const Proposals found = read("[\n  {\"VEC\": 4},\n  7,\n  {\"VEC\": \"wide, [or so]\"}\n]");
  EXPECT_EQ(found.wishes.size(), 1U);
  EXPECT_EQ(faults_text(found.faults),
            "a.json:3:3: a configuration is a map, not a number; and 1 mistake more");
  ASSERT_EQ(found.faults.size(), 2U);
  EXPECT_EQ(render(found.faults[1]),
            "a.json:4:3: 'VEC' has no value wide, [or so] (one of 1, 2 or 4)");
}

TEST(Proposals, ValuesOfAnotherKindAreWishesOfNothing) {
  EXPECT_EQ(said("[{\"VEC\": null}]"), "a.json:1:2: 'VEC' is null (one of 1, 2 or 4)");
  EXPECT_EQ(said("[{\"VEC\": [4]}]"), "a.json:1:2: 'VEC' is a list (one of 1, 2 or 4)");
  EXPECT_TRUE(read("[{\"VEC\": null}]").wishes.empty());
}

TEST(Proposals, AnotherKernelsParametersAreNamed) {
  EXPECT_EQ(said("[{\"TILE\": 4}]"),
            "a.json:1:2: the study has no parameter 'TILE', nor any other that this configuration "
            "names (known: BLOCK and VEC)");
  const Proposals found = read("[{\"TILE\": 4, \"VEC\": 1}]");
  EXPECT_EQ(found.wishes.size(), 1U);
  EXPECT_EQ(faults_text(found.faults),
            "a.json:1:2: the study has no parameter 'TILE' (known: BLOCK and VEC)");
}

TEST(Proposals, AnEmptyMapSaysNothing) {
  EXPECT_EQ(said("[{}]"), "a.json:1:2: this configuration names no parameter");
}

TEST(Proposals, TenThousandAreReadAtOnce) {
  std::string text = "[";
  for (int i = 0; i < 10000; ++i) text += "{\"VEC\": 4, \"X\": 1},\n";
  const Proposals found = read(text + "{\"VEC\": 1}]");
  EXPECT_EQ(found.wishes.size(), 10001U);
  EXPECT_EQ(found.faults.size(), 10000U);
}

}  // namespace
}  // namespace tuner::test
