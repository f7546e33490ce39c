#pragma once
// A plugin's compiler behind the port.

#include <cstdint>
#include <memory>
#include <string>

#include "tuner/base/expected.h"
#include "tuner/plugin/abi.h"
#include "tuner/ports/compiler.h"

namespace tuner {

// A plugin's compiler behind the port, or what it lacks ("libnvrtc.so.13 not found").
Expected<std::unique_ptr<Compiler>, std::string> make_plugin_compiler(
    const tuner_compiler_factory& factory, std::uint32_t item);

}  // namespace tuner
