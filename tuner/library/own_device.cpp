// Chooses and opens a backend.

#include "tuner/library/own_device.h"

#include <algorithm>
#include <vector>

#include "tuner/library/state.h"

namespace libtuner {

OpenedBackend open_device(const tuner::Catalogue& catalogue, const tuner::Study& study,
                          const TuningSettings& settings) {
  std::vector<std::string> names = catalogue.names(tuner::PluginKind::kBackend);
  std::ranges::stable_sort(names, {}, [](const std::string& name) { return name == "cpu"; });
  tuner::OptionList options = option_list(settings.backend_options);
  if (settings.backend != "auto") {
    names = {settings.backend};
  } else if (!study.backend.name.empty()) {
    names = {study.backend.name};
    options = study.backend.options;
  }
  std::string reasons;
  for (const std::string& name : names) {
    if (catalogue.find(tuner::PluginKind::kBackend, name) == nullptr) {
      throw Error("there is no backend '" + name + "'");
    }
    catalogue.check_options(tuner::PluginKind::kBackend, name, options);
    auto opened = catalogue.open_backend(name, settings.device, options);
    if (opened) return {name, options, std::move(*opened)};
    reasons += (reasons.empty() ? "" : "; ") + name + ": " + opened.error().message;
  }
  throw Error("no backend works: " + (reasons.empty() ? "none is installed" : reasons));
}

}  // namespace libtuner
