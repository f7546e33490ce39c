// Makes a plugin's exporter look like the port.

#include "tuner/plugin/adapters_exporter.h"

#include <utility>

#include "tuner/base/error.h"
#include "tuner/plugin/abi_text.h"

namespace tuner {
namespace {

class PluginExporter : public Exporter {
 public:
  PluginExporter(const tuner_exporter_factory& factory, std::uint32_t item, std::string name,
                 OptionList options, ResultsDocument document)
      : factory_(factory),
        item_(item),
        name_(std::move(name)),
        options_(std::move(options)),
        document_(std::move(document)) {}

  std::vector<ExportedFile> write(const Study& study, const std::vector<RankedResults>& results,
                                  const std::string& output) override {
    const std::string document = document_(study, results);
    const std::vector<tuner_pair> pairs = abi_pairs(options_);
    StringSink out;
    StringSink error;
    if (factory_.write(item_, pairs.data(), pairs.size(), to_abi(document), out.sink(),
                       error.sink()) != TUNER_OK) {
      throw FatalError("exporter '" + name_ + "': " + error.text);
    }
    return {{output, std::move(out.text)}};
  }

 private:
  const tuner_exporter_factory& factory_;
  std::uint32_t item_;
  std::string name_;
  OptionList options_;
  ResultsDocument document_;
};

}  // namespace

std::unique_ptr<Exporter> make_plugin_exporter(const tuner_exporter_factory& factory,
                                               std::uint32_t item, std::string name,
                                               OptionList options, ResultsDocument document) {
  return std::make_unique<PluginExporter>(factory, item, std::move(name), std::move(options),
                                          std::move(document));
}

}  // namespace tuner
