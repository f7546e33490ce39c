#pragma once
// Asks a backend which devices it has, in a process of its own: drivers are never loaded here.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/worker/channel.h"

namespace tuner {

// Several machines are asked at the same time: construct one for each, then take the answers.
class DeviceProbe {
 public:
  // `channel` leads to a worker of the role "probe".
  DeviceProbe(std::unique_ptr<Channel> channel, std::string backend,
              const std::vector<std::pair<std::string, std::string>>& options);
  // Waits for it. Throws UnavailableError with the backend's reason.
  std::vector<DeviceFacts> answer();

 private:
  std::unique_ptr<Channel> channel_;
  std::string backend_;
  TimePoint deadline_;
};

// Those of this machine. Throws UnavailableError with the backend's reason.
std::vector<DeviceFacts> probe_devices(
    const WorkerProgram& program, const std::string& backend,
    const std::vector<std::pair<std::string, std::string>>& options = {});

}  // namespace tuner
