#pragma once
// Where plugins are looked for.

#include <string>
#include <vector>

#include "tuner/plugin/catalogue.h"

namespace tuner {

// The plugins that this program finds: in `asked` first, then $TUNER_PLUGIN_PATH, then beside the
// program. Coordinator and workers look in the same places.
Catalogue load_plugins(const std::vector<std::string>& asked);

}  // namespace tuner
