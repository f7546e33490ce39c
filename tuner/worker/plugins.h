#pragma once
// Finds plugins, and the devices of their backends: a process of its own queries these, as drivers
// are never loaded here.

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/worker/channel.h"

namespace tuner {

// The plugins that this program finds: in `asked` first, then $TUNER_PLUGIN_PATH, then beside the
// program. Coordinator and workers look in the same places.
Catalogue load_plugins(const std::vector<std::string>& asked);

// The folders where these may be.
std::vector<std::filesystem::path> plugin_folders(const std::vector<std::string>& asked);

// How long a device may take to open: a cold driver on a large machine is slow.
inline constexpr double kOpenSeconds = 120;

// Why a worker has not opened its device: it has ended, or its time is up. Ends it.
std::string why_not_opened(Channel& channel);

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

// Returns the backend's devices of this machine. Throws UnavailableError with the backend's reason.
std::vector<DeviceFacts> probe_devices(
    const WorkerProgram& program, const std::string& backend,
    const std::vector<std::pair<std::string, std::string>>& options = {});

}  // namespace tuner
