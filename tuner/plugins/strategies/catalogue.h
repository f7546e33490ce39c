#pragma once
// The list of a plugin's strategies. A source file holds the classes of strategies that are of one
// kind, and at its end their registrations.

#include <cstdint>
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

// At the end of the file: extern constexpr Registration kMine = registration_of<Mine>();
template <typename T>
constexpr Registration registration_of() {
  return {T::kName, &sdk::Strategies<T>::factory,
          [](const StrategySetup& setup) -> std::unique_ptr<sdk::Strategy> {
            StrategySetup own = setup;
            own.options = sdk::Options(sdk::detail::options_of<T>(), {});
            return std::make_unique<T>(own);
          }};
}

// All of this plugin, in the order in which `tuner list strategies` shows them.
std::span<const Registration* const> catalogue();

// The factory that sdk::Strategies<...> makes of types, made of the registrations.
struct Listed {
  static constexpr const char* kKind = TUNER_KIND_STRATEGY;

  static const void* factory() {
    static const tuner_strategy_factory table{sizeof(tuner_strategy_factory),
                                              static_cast<std::uint32_t>(catalogue().size()), info,
                                              create};
    return &table;
  }

 private:
  static const tuner_strategy_factory& of(std::uint32_t item) {
    return *static_cast<const tuner_strategy_factory*>(catalogue()[item]->table());
  }

  static const tuner_item_info* info(std::uint32_t item) {
    return item < catalogue().size() ? of(item).info(0) : nullptr;
  }

  static int create(std::uint32_t item, const tuner_strategy_setup* setup, tuner_strategy* out,
                    tuner_sink error) {
    if (item < catalogue().size()) return of(item).create(0, setup, out, error);
    return sdk::detail::report(error, TUNER_INVALID, "no such item");
  }
};

}  // namespace tuner::strategies

#define TUNER_DECLARE_STRATEGY(name) extern const Registration name;
#define TUNER_ADDRESS_OF_STRATEGY(name) &(name),
// A plugin of the strategies of LIST, which applies a macro to each of their registrations.
#define TUNER_STRATEGY_PLUGIN(NAME, LIST)                                            \
  namespace tuner::strategies {                                                      \
  LIST(TUNER_DECLARE_STRATEGY)                                                       \
  std::span<const Registration* const> catalogue() {                                 \
    static constexpr const Registration* kAll[] = {LIST(TUNER_ADDRESS_OF_STRATEGY)}; \
    return kAll;                                                                     \
  }                                                                                  \
  }                                                                                  \
  TUNER_PLUGIN(NAME, "1.0", tuner::strategies::Listed)
