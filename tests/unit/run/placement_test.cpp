// Which devices of which ranks take part, and which share a search.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tuner/bench/devices.h"

namespace tuner {
namespace {

using Numbers = std::vector<std::vector<unsigned>>;

std::vector<SeenDevice> three_of_two_models() {
  std::vector<SeenDevice> devices(3);
  for (unsigned i = 0; i < 3; ++i) {
    devices[i] = {{i}, "node", nominal_facts("sm_90")};
    devices[i].facts.uuid = std::to_string(i);
    devices[i].facts.name = i == 1 ? "B" : "A";
  }
  devices[2].facts.memory_bytes = 1;  // a program holds the rest
  return devices;
}

Numbers models_of(const std::vector<SeenDevice>& devices) {
  Numbers models;
  for (const auto& model : alike_devices(devices)) {
    models.emplace_back();
    for (const DeviceId& device : model) models.back().push_back(device.number);
  }
  return models;
}

TEST(AlikeDevices, ThoseOfOneModelAreTogetherInTheOrderTheyAreNamedIn) {
  auto devices = three_of_two_models();
  EXPECT_EQ(models_of(devices), (Numbers{{0, 2}, {1}}));
  std::swap(devices[0], devices[2]);
  EXPECT_EQ(models_of(devices), (Numbers{{2, 0}, {1}}));
  EXPECT_EQ(models_of({devices[1]}), (Numbers{{1}}));
}

TEST(AlikeDevices, APartOfADeviceIsNotLikeAWholeOne) {
  auto devices = three_of_two_models();
  devices[2].facts.multiprocessors /= 7;
  EXPECT_EQ(models_of(devices), (Numbers{{0}, {1}, {2}}));
}

TEST(AlikeDevices, AnotherDriverIsAnotherModel) {
  auto devices = three_of_two_models();
  devices[2].facts.driver = "older";
  EXPECT_EQ(models_of(devices), (Numbers{{0}, {1}, {2}}));
}

// "rank:number uuid" of each that takes part.
std::vector<std::string> placed(const std::vector<std::pair<unsigned, std::string>>& seen,
                                const std::string& second_node = "a") {
  std::vector<SeenDevice> devices;
  for (const auto& [rank, uuids] : seen) {
    unsigned number = 0;
    for (const char uuid : uuids) {
      SeenDevice device{{number++, rank}, rank >= 2 ? second_node : "a", nominal_facts("sm_90")};
      device.facts.uuid = uuid == '-' ? "" : std::string(1, uuid);
      devices.push_back(std::move(device));
    }
  }
  std::vector<std::string> out;
  for (const SeenDevice& one : each_once(std::move(devices))) {
    out.push_back(std::to_string(one.id.rank) + ":" + std::to_string(one.id.number) + " " +
                  one.facts.uuid);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Placement, RanksOfANodeTakeTurnsWithTheDevicesThatTheyAllSee) {
  EXPECT_EQ(placed({{0, "ABCD"}, {1, "ABCD"}}), (Texts{"0:0 A", "0:2 C", "1:1 B", "1:3 D"}));
  EXPECT_EQ(placed({{0, "A"}, {1, "A"}}), Texts{"0:0 A"}) << "one is left to compile";
}

TEST(Placement, WhereABatchSystemGivesEachRankItsDeviceEachKeepsIt) {
  EXPECT_EQ(placed({{0, "A"}, {1, "B"}, {2, "C"}}), (Texts{"0:0 A", "1:0 B", "2:0 C"}));
}

TEST(Placement, DevicesOfTwoNodesAreTwoThoughTheyAreCalledTheSame) {
  EXPECT_EQ(placed({{0, "A"}, {2, "A"}}, "b"), (Texts{"0:0 A", "2:0 A"}));
  EXPECT_EQ(placed({{0, "--"}, {1, "--"}}), (Texts{"0:0 ", "1:1 "})) << "numbers tell them apart";
}

TEST(Placement, ARankWithoutDevicesGetsNone) {
  EXPECT_EQ(placed({{0, ""}, {1, "AB"}}), (Texts{"1:0 A", "1:1 B"}));
}

}  // namespace
}  // namespace tuner
