#pragma once
// The device that an application tunes on, opened in its own process.

#include <memory>
#include <string>

#include "tuner/library/tuner.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/ports/backend.h"

namespace libtuner {

struct OpenedBackend {
  std::string name;
  tuner::OptionList options;
  std::unique_ptr<tuner::Backend> backend;
};

// As `tuner run` chooses: what the settings name, else what the study names, else the first that
// works, the cpu last. Throws Error with all reasons.
OpenedBackend open_device(const tuner::Catalogue& catalogue, const tuner::Study& study,
                          const TuningSettings& settings);

}  // namespace libtuner
