#pragma once
// The list of strategies. A strategy is one source file: its class, and at its end its
// registration.

#include <memory>
#include <span>
#include <string_view>

#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {

// A constant, so that nothing depends on the order in which files are initialised.
struct Registration {
  std::string_view name;
  const void* (*table)();  // the SDK's, of this strategy alone
  std::unique_ptr<sdk::Strategy> (*make)(const StrategySetup&);  // with its default options
};

// At the end of a strategy's file: extern constexpr Registration kMine = registration_of<Mine>();
template <typename T>
constexpr Registration registration_of() {
  return {T::kName, &sdk::Strategies<T>::factory,
          [](const StrategySetup& setup) -> std::unique_ptr<sdk::Strategy> {
            StrategySetup own = setup;
            own.options = sdk::Options(sdk::detail::options_of<T>(), {});
            return std::make_unique<T>(own);
          }};
}

// All of them, in the order in which `tuner list strategies` shows them.
std::span<const Registration* const> catalogue();

}  // namespace tuner::strategies
