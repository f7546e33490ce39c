// Loads the plugins that this program finds.

#include "tuner/worker/plugins.h"

#include <cstdlib>

#include "tuner/base/child_process.h"

namespace tuner {

Catalogue load_plugins(const std::vector<std::string>& asked) {
  const char* environment = std::getenv("TUNER_PLUGIN_PATH");
  return Catalogue::load(plugin_search(std::filesystem::path(executable_path()).parent_path(),
                                       environment == nullptr ? "" : environment,
                                       {asked.begin(), asked.end()}));
}

}  // namespace tuner
