#pragma once
// Everything that a plugin's author needs: derive from the class of a kind, then write once
//
//   TUNER_PLUGIN("mine", "1.0", tuner::sdk::Strategies<Mine>);
//
// A plugin may offer several kinds: TUNER_PLUGIN(..., Backends<A>, Compilers<B>). Build it as a
// module with hidden symbols; the macro exports the one symbol that the host looks for.

#include <string_view>

#include "tuner/plugin/sdk_advisor.h"
#include "tuner/plugin/sdk_backend.h"
#include "tuner/plugin/sdk_compiler.h"
#include "tuner/plugin/sdk_core.h"
#include "tuner/plugin/sdk_elements.h"
#include "tuner/plugin/sdk_exporter.h"
#include "tuner/plugin/sdk_observer.h"
#include "tuner/plugin/sdk_problem.h"
#include "tuner/plugin/sdk_random.h"
#include "tuner/plugin/sdk_strategy.h"
#include "tuner/plugin/sdk_types.h"

// A type needs its code in sdk_elements.h, too.
static_assert(tuner::sdk::elements::kElementTypes == static_cast<int>(tuner::sdk::kTypes.size()));

namespace tuner::sdk::detail {

template <typename... Kind>
const void* get_factory(const char* kind) {
  const void* found = nullptr;
  ((std::string_view(kind) == Kind::kKind ? void(found = Kind::factory()) : void()), ...);
  return found;
}

}  // namespace tuner::sdk::detail

// clang-format off
#define TUNER_PLUGIN(plugin_name, plugin_version, ...)                              \
  extern "C" __attribute__((visibility("default"))) const tuner_plugin tuner_plugin_v2; \
  const tuner_plugin tuner_plugin_v2 = {                                            \
      TUNER_ABI_MAGIC,      TUNER_ABI_MAJOR, TUNER_ABI_MINOR,                       \
      sizeof(tuner_plugin), plugin_name,     plugin_version,                        \
      &tuner::sdk::detail::get_factory<__VA_ARGS__>}
// clang-format on
