#pragma once
// A plugin's exporter behind the port.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/plugin/abi_text.h"
#include "tuner/ports/exporter.h"

namespace tuner {

// Writes the document that exporters of plugins read (docs/results-json.md).
using ResultsDocument = std::function<std::string(const Study&, const std::vector<RankedResults>&)>;

// A plugin's exporter behind the port. write() throws FatalError with the plugin's reason.
std::unique_ptr<Exporter> make_plugin_exporter(const tuner_exporter_factory& factory,
                                               std::uint32_t item, std::string name,
                                               OptionList options, ResultsDocument document);

}  // namespace tuner
