#pragma once
// A plugin's strategy behind the port.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/study.h"
#include "tuner/plugin/abi.h"
#include "tuner/ports/strategy.h"

namespace tuner {

// A plugin's strategy behind the port, or why it could not be made. What `space` refers to must
// outlive it.
// Its functions throw FatalError when the plugin reports one.
Expected<std::unique_ptr<Strategy>, std::string> make_plugin_strategy(
    const tuner_strategy_factory& factory, std::uint32_t item, const std::string& name,
    const tuner_space& space, std::uint64_t seed, const Budget& budget,
    const std::vector<std::pair<std::string, std::string>>& options, std::size_t objectives);

}  // namespace tuner
