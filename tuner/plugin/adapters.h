#pragma once
// Plugins' items behind the ports: what they declare, and the objects that they make.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/study.h"
#include "tuner/plugin/abi_text.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/exporter.h"
#include "tuner/ports/strategy.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// ---- what plugins offer -------------------------------------------------------------------------

struct PluginOption {
  std::string name;
  std::string default_value;
  std::string help;
  std::string allowed;  // tuner_option_info
};

// A value that an observer gives.
struct PluginValue {
  std::string name;
  std::string unit;
  std::string help;
};

struct PluginItem {
  std::string name;
  std::string summary;
  std::vector<PluginOption> options;
  std::string plugin;          // name of the plugin that offers it
  std::filesystem::path file;  // of that plugin
  const void* factory = nullptr;
  std::uint32_t number = 0;           // within the factory
  std::vector<PluginValue> values{};  // of an observer
  tuner_backend_traits backend{};     // of a backend
  tuner_compiler_traits compiler{};   // of a compiler

  // Returns the language of a backend's kernels, as KernelSpec has it.
  std::string language() const {
    return backend.language == nullptr ? KernelSpec{}.language : backend.language;
  }

  // The factory, of the kind that the item is.
  template <typename Factory>
  const Factory& factory_as() const {
    return *static_cast<const Factory*>(factory);
  }
};

// ---- what they make -----------------------------------------------------------------------------

// A plugin's strategy behind the port, or why it could not be made. What `space` refers to must
// outlive it. Its functions throw FatalError when the plugin reports one.
Expected<std::unique_ptr<Strategy>, std::string> make_plugin_strategy(
    const PluginItem& item, const tuner_space& space, std::uint64_t seed, const Budget& budget,
    const OptionList& options, std::size_t objectives);

// A plugin's compiler behind the port, or what it lacks ("libnvrtc.so.13 not found").
Expected<std::unique_ptr<Compiler>, std::string> make_plugin_compiler(const PluginItem& item,
                                                                      const OptionList& options);

// How many devices a plugin's backend has, or why none can be used.
DeviceResult<std::uint32_t> count_plugin_devices(const PluginItem& item);

// A device opened by a plugin, behind the port, or why it cannot be opened.
DeviceResult<std::unique_ptr<Backend>> open_plugin_backend(const PluginItem& item,
                                                           std::uint32_t device,
                                                           const OptionList& options);

// Writes the document that exporters of plugins read (docs/exchange.md).
using ResultsDocument = std::function<std::string(const Study&, const std::vector<RankedResults>&)>;

// A plugin's exporter behind the port. write() throws FatalError with the plugin's reason.
std::unique_ptr<Exporter> make_plugin_exporter(const PluginItem& item, OptionList options,
                                               ResultsDocument document);

// Asks a plugin's advisor; its answer, or why there is none.
Expected<std::string, std::string> ask_plugin_advisor(const PluginItem& item,
                                                      const OptionList& options,
                                                      const std::string& question);

// A plugin's problem for one problem size, or why it could not be made.
Expected<std::unique_ptr<Problem>, std::string> make_plugin_problem(
    const PluginItem& item, const OptionList& options,
    const std::vector<std::pair<std::string, std::int64_t>>& extents);

// Metrics and the places of their values among those that the observer gives.
using ObservedMetrics = std::vector<std::pair<std::string, std::size_t>>;

// A plugin's observer, or why it could not be made.
Expected<std::unique_ptr<Observer>, std::string> make_plugin_observer(const PluginItem& item,
                                                                      const OptionList& options,
                                                                      ObservedMetrics metrics);

}  // namespace tuner
