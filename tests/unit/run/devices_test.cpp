// Which devices share a search.

#include "tuner/run/devices.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

using Models = std::vector<std::vector<unsigned>>;

std::vector<DeviceFacts> three_of_two_models() {
  std::vector<DeviceFacts> facts(3, nominal_facts("sm_90"));
  for (std::size_t i = 0; i < facts.size(); ++i) facts[i].uuid = std::to_string(i);
  facts[0].name = facts[2].name = "A";
  facts[1].name = "B";
  facts[2].memory_bytes = 1;  // a program holds the rest
  return facts;
}

TEST(AlikeDevices, ThoseOfOneModelAreTogetherInTheOrderTheyAreNamedIn) {
  EXPECT_EQ(alike_devices({0, 1, 2}, three_of_two_models()), (Models{{0, 2}, {1}}));
  EXPECT_EQ(alike_devices({2, 1, 0}, three_of_two_models()), (Models{{2, 0}, {1}}));
  EXPECT_EQ(alike_devices({1}, three_of_two_models()), (Models{{1}}));
}

TEST(AlikeDevices, APartOfADeviceIsNotLikeAWholeOne) {
  auto facts = three_of_two_models();
  facts[2].multiprocessors /= 7;
  EXPECT_EQ(alike_devices({0, 1, 2}, facts), (Models{{0}, {1}, {2}}));
}

TEST(AlikeDevices, AnotherDriverIsAnotherModel) {
  auto facts = three_of_two_models();
  facts[2].driver = "older";
  EXPECT_EQ(alike_devices({0, 2}, facts), (Models{{0}, {2}}));
}

}  // namespace
}  // namespace tuner
