#pragma once
// Packs what the object in an application has left of a launch into a capture's folder.

#include <filesystem>
#include <string>

#include "tuner/model/captured_launch.h"

namespace tuner {

// Makes a capture's folder of what the object in the application has left in `raw`: `description`
// is the name of its JSON there. Memory that is close together becomes one piece, so that it can be
// placed in another process. The folder appears whole or not at all. Throws FatalError, and
// InterruptedError where a signal to stop has come since an Interrupt was made.
CapturedLaunch pack_capture(const std::filesystem::path& raw, const std::string& description,
                            const std::filesystem::path& folder);

}  // namespace tuner
