#pragma once
// Where plugins are looked for.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/plugin/catalogue.h"

namespace tuner {

// The plugins that this program finds: in `asked` first, then $TUNER_PLUGIN_PATH, then beside the
// program. Coordinator and workers look in the same places.
Catalogue load_plugins(const std::vector<std::string>& asked);

// The folders where these may be.
std::vector<std::filesystem::path> plugin_folders(const std::vector<std::string>& asked);

}  // namespace tuner
