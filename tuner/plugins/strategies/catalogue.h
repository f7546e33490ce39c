#pragma once
// Strategies by name, for those that use others.

#include <memory>
#include <string_view>

#include "tuner/plugins/strategies/common.h"

namespace tuner::strategies {

// With default options. Throws sdk::Error with the list of names when there is none of this name.
std::unique_ptr<sdk::Strategy> make_strategy(std::string_view name, const StrategySetup& setup);

}  // namespace tuner::strategies
