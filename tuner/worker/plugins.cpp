// Loads the plugins that this program finds, and asks a backend for its devices through a worker.

#include "tuner/worker/plugins.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/worker/messages.h"

namespace tuner {

namespace {

PluginSearch search_for(const std::vector<std::string>& asked) {
  const char* environment = std::getenv("TUNER_PLUGIN_PATH");
  return plugin_search(std::filesystem::path(executable_path()).parent_path(),
                       environment == nullptr ? "" : environment, {asked.begin(), asked.end()});
}

}  // namespace

Catalogue load_plugins(const std::vector<std::string>& asked) {
  return Catalogue::load(search_for(asked));
}

std::vector<std::filesystem::path> plugin_folders(const std::vector<std::string>& asked) {
  return search_for(asked).directories;
}

std::string why_not_opened(Channel& channel) {
  if (channel.has_ended()) return "its worker was " + channel.exit_reason();
  channel.exit_reason();
  return fmt::format(
      "its driver has not answered for {} s: it hangs, or a program or a reset holds the device",
      kOpenSeconds);
}

DeviceProbe::DeviceProbe(std::unique_ptr<Channel> channel, std::string backend,
                         const std::vector<std::pair<std::string, std::string>>& options)
    : channel_(std::move(channel)),
      backend_(std::move(backend)),
      deadline_(after(Clock::now(), kOpenSeconds)) {
  channel_->send({{"type", "open"}, {"backend", backend_}, {"options", options}});
}

std::vector<DeviceFacts> DeviceProbe::answer() {
  const auto answer = channel_->wait(deadline_);
  if (!answer) throw RefusedError(backend_ + ": " + why_not_opened(*channel_));
  if (text_in(*answer, "type") != "devices") {
    const std::string reason = text_in(*answer, "reason");
    const std::string text = backend_ + ": " + (reason.empty() ? "no reason given" : reason);
    if (flag_in(*answer, "refused")) throw RefusedError(text);
    throw UnavailableError(text);
  }
  try {
    return answer->at("facts").get<std::vector<DeviceFacts>>();
  } catch (const nlohmann::json::exception&) {
    throw UnavailableError(backend_ + ": its worker sent facts that make no sense");
  }
}

std::vector<DeviceFacts> probe_devices(
    const WorkerProgram& program, const std::string& backend,
    const std::vector<std::pair<std::string, std::string>>& options) {
  return DeviceProbe(std::make_unique<Channel>(program, "probe"), backend, options).answer();
}

}  // namespace tuner
