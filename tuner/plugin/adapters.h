#pragma once
// What plugins make, behind the ports.

#include <cstdint>
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

// Writes the document that exporters of plugins read (docs/results-json.md).
using ResultsDocument = std::function<std::string(const Study&, const std::vector<RankedResults>&)>;

// A plugin's exporter behind the port. write() throws FatalError with the plugin's reason.
std::unique_ptr<Exporter> make_plugin_exporter(const tuner_exporter_factory& factory,
                                               std::uint32_t item, std::string name,
                                               OptionList options, ResultsDocument document);

// A plugin's problem for one problem size, or why it could not be made.
Expected<std::unique_ptr<Problem>, std::string> make_plugin_problem(
    const tuner_problem_factory& factory, std::uint32_t item, const std::string& name,
    const OptionList& options, const std::vector<std::pair<std::string, std::int64_t>>& extents);

// Metrics and the places of their values among those that the observer gives.
using ObservedMetrics = std::vector<std::pair<std::string, std::size_t>>;

// A plugin's observer that gives `value_count` values, or why it could not be made.
Expected<std::unique_ptr<Observer>, std::string> make_plugin_observer(
    const tuner_observer_factory& factory, std::uint32_t item, const std::string& name,
    const OptionList& options, std::size_t value_count, ObservedMetrics metrics);

}  // namespace tuner
