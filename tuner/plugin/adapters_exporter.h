#pragma once
// A plugin's exporter behind the port.

#include <cstdint>
#include <memory>
#include <string>

#include "tuner/plugin/abi.h"
#include "tuner/ports/exporter.h"

namespace tuner {

// A plugin's exporter behind the port. write() throws FatalError with the plugin's reason.
std::unique_ptr<Exporter> make_plugin_exporter(const tuner_exporter_factory& factory,
                                               std::uint32_t item, const std::string& name);

// The document that exporters read: docs/results-json.md.
std::string results_json(const Study& study, const std::vector<RankedResults>& results);

}  // namespace tuner
