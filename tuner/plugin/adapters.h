#pragma once
// A plugin's strategy, compiler and backend behind their ports.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/study.h"
#include "tuner/plugin/abi_text.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/compiler.h"
#include "tuner/ports/strategy.h"

namespace tuner {

// A plugin's strategy behind the port, or why it could not be made. What `space` refers to must
// outlive it. Its functions throw FatalError when the plugin reports one.
Expected<std::unique_ptr<Strategy>, std::string> make_plugin_strategy(
    const tuner_strategy_factory& factory, std::uint32_t item, const std::string& name,
    const tuner_space& space, std::uint64_t seed, const Budget& budget, const OptionList& options,
    std::size_t objectives);

// A plugin's compiler behind the port, or what it lacks ("libnvrtc.so.13 not found").
Expected<std::unique_ptr<Compiler>, std::string> make_plugin_compiler(
    const tuner_compiler_factory& factory, std::uint32_t item, const OptionList& options);

// A device opened by a plugin, behind the port, or why it cannot be opened.
DeviceResult<std::unique_ptr<Backend>> open_plugin_backend(const tuner_backend_factory& factory,
                                                           std::uint32_t item,
                                                           const std::string& name,
                                                           std::uint32_t device,
                                                           const OptionList& options);

}  // namespace tuner
