// Deals out devices to ranks, and sorts them by model.

#include "tuner/run/placement.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tuner {
namespace {

using Identity = std::pair<std::string, std::string>;

Identity identity_of(const SeenDevice& device) {
  const std::string& uuid = device.facts.uuid;
  return {device.node, uuid.empty() ? std::to_string(device.id.number) : uuid};
}

DeviceFacts without_identity(DeviceFacts facts) {
  facts.uuid.clear();
  facts.memory_bytes = 0;
  return facts;
}

auto rank_and_number(const SeenDevice& device) {
  return std::tuple(device.id.rank, device.id.number);
}

}  // namespace

std::vector<SeenDevice> each_once(std::vector<SeenDevice> seen) {
  std::ranges::sort(seen, {}, rank_and_number);
  std::set<unsigned> ranks;
  for (const SeenDevice& device : seen) ranks.insert(device.id.rank);
  std::set<Identity> taken;
  std::vector<SeenDevice> placed;
  for (bool again = true; std::exchange(again, false);) {
    for (const unsigned rank : ranks) {
      const auto free = std::ranges::find_if(seen, [&](const SeenDevice& device) {
        return device.id.rank == rank && !taken.contains(identity_of(device));
      });
      if (free == seen.end()) continue;
      taken.insert(identity_of(*free));
      placed.push_back(*free);
      again = true;
    }
  }
  std::ranges::sort(placed, {}, rank_and_number);
  return placed;
}

std::vector<std::vector<DeviceId>> alike_devices(const std::vector<SeenDevice>& devices) {
  std::vector<std::vector<DeviceId>> models;
  std::vector<DeviceFacts> known;
  for (const SeenDevice& device : devices) {
    const DeviceFacts facts = without_identity(device.facts);
    const auto found = std::ranges::find(known, facts);
    const auto model = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(facts);
      models.emplace_back();
    }
    models[model].push_back(device.id);
  }
  return models;
}

}  // namespace tuner
