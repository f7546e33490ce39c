#pragma once
// A plugin's backend behind the port.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/plugin/abi.h"
#include "tuner/ports/backend.h"

namespace tuner {

// A device opened by a plugin, behind the port, or why it cannot be opened.
DeviceResult<std::unique_ptr<Backend>> open_plugin_backend(
    const tuner_backend_factory& factory, std::uint32_t item, const std::string& name,
    std::uint32_t device, const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace tuner
