// Loads the plugins that this program finds.

#include "tuner/worker/plugins.h"

#include <cstdlib>

#include "tuner/base/child_process.h"

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

}  // namespace tuner
