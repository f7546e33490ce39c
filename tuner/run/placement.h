#pragma once
// Which devices take part, of those that several ranks of a job see, and which share a search.

#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/ports/size_evaluator.h"

namespace tuner {

struct SeenDevice {
  DeviceId id{};
  std::string node{};  // where its rank is
  DeviceFacts facts{};
};

// Ranks of one node see the same devices, by their uuids, or by their numbers where they have none.
// Each is left to one rank: these take turns, in their order, each with the first that it sees and
// that nobody has. In the order of ranks and numbers.
std::vector<SeenDevice> each_once(std::vector<SeenDevice> seen);

// Which devices are alike, by what a backend says of each: all but their names for themselves and
// the amount of memory that is left to programs. Those of one model stay in their order, and models
// come in the order of their first device.
std::vector<std::vector<DeviceId>> alike_devices(const std::vector<SeenDevice>& devices);

}  // namespace tuner
