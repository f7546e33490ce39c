// How many sizes go side by side, on how many devices each.
#include <gtest/gtest.h>

#include <string>

#include "tuner/run/side_by_side.h"

namespace tuner {
namespace {

// "8 on 1 1 1 1, 1 on 4" of all rounds that so many sizes take.
std::string rounds_of(std::size_t sizes, std::size_t devices) {
  std::string text;
  while (sizes > 0) {
    const SizeRound round = next_round(sizes, devices);
    text += (text.empty() ? "" : ", ") + std::to_string(round.sizes) + " on";
    for (const std::size_t count : round.devices) text += " " + std::to_string(count);
    sizes -= round.sizes;
  }
  return text;
}

TEST(SizeRounds, GiveEachDeviceASizeAsLongAsThereAreEnough) {
  EXPECT_EQ(rounds_of(4, 4), "4 on 1 1 1 1");
  EXPECT_EQ(rounds_of(6, 2), "6 on 1 1");
}

TEST(SizeRounds, ShareTheDevicesAmongTheSizesThatAreLeftOver) {
  EXPECT_EQ(rounds_of(9, 4), "8 on 1 1 1 1, 1 on 4");
  EXPECT_EQ(rounds_of(6, 4), "4 on 1 1 1 1, 2 on 2 2");
  EXPECT_EQ(rounds_of(7, 4), "4 on 1 1 1 1, 3 on 2 1 1");
}

TEST(SizeRounds, OfFewSizesHaveGroupsOfSeveralDevices) {
  EXPECT_EQ(rounds_of(2, 8), "2 on 4 4");
  EXPECT_EQ(rounds_of(3, 8), "3 on 3 3 2");
}

TEST(SizeRounds, OfOneSizeOrOneDeviceHaveOneGroup) {
  EXPECT_EQ(rounds_of(1, 8), "1 on 8");
  EXPECT_EQ(rounds_of(3, 1), "3 on 1");
}

}  // namespace
}  // namespace tuner
