#include "tuner/app/exporters.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "tuner/app/identity.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/engine/resolve.h"
#include "tuner/exporters/header.h"
#include "tuner/plugin/adapters_exporter.h"
#include "tuner/store/ranked_csv.h"

namespace tuner {
namespace {

std::string header_text(const ExportOptions& options, const Study& study,
                        const std::vector<RankedResults>& results) {
  HeaderOptions header;
  header.table.max_configurations = options.max_configs;
  header.table.within = options.within;
  header.source_text = read_file(study.kernel.source);
  header.generator = "tuner " TUNER_VERSION;
  if (options.max_configs > 0 || options.within > 0) {
    std::cerr << loss_report(tuned_table(study, results, header.table));
  }
  return export_header(study, results, header);
}

const RankedResults& the_one(const std::vector<RankedResults>& results, const char* format) {
  const RankedResults* found = nullptr;
  std::size_t count = 0;
  std::string which;
  for (const RankedResults& r : results) {
    if (r.ranked == 0) continue;
    found = &r;
    ++count;
    which += fmt::format("\n  {} on {}", r.size.label(), r.device.name);
  }
  if (count == 1) return *found;
  throw InputError(
      Complaint{{},
                fmt::format("{} is for one device and size; choose with --device and --size:{}",
                            format, which),
                ""});
}

// -D lines as the tuner itself gives them to the compiler, one each.
std::string define_lines(const Study& study, const std::vector<RankedResults>& results) {
  const RankedResults& chosen = the_one(results, "defines");
  const SearchSpace space = SearchSpace::build(space_definition(study, chosen.size, chosen.device));
  const auto request =
      compile_request(study, space, chosen.trials.front().configuration, chosen.device, "");
  if (!request) throw FatalError(request.error());
  std::string lines;
  for (const auto& [name, value] : request->defines) lines += fmt::format("-D{}={}\n", name, value);
  return lines;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& builtin_formats() {
  static const std::vector<std::pair<std::string, std::string>> formats{
      {"header", "a C++17 header that picks a configuration by device and problem size"},
      {"json", "everything that was measured"},
      {"csv", "the ranked table of one device and size"},
      {"defines", "-D lines of the best configuration of one device and size"}};
  return formats;
}

ExportFunction find_exporter(const ExportOptions& options, const Catalogue& catalogue) {
  if (options.format == "header") {
    return [options](const Study& study, const std::vector<RankedResults>& results) {
      return header_text(options, study, results);
    };
  }
  if (options.format == "json") return results_json;
  if (options.format == "defines") return define_lines;
  if (options.format == "csv") {
    return [](const Study& study, const std::vector<RankedResults>& results) {
      return ranked_csv(the_one(results, "csv"), names_of(study.parameters));
    };
  }
  std::vector<std::string> known;
  for (const auto& [name, summary] : builtin_formats()) known.push_back(name);
  for (const PluginItem& item : catalogue.items(PluginKind::kExporter)) known.push_back(item.name);
  if (catalogue.find(PluginKind::kExporter, options.format) == nullptr) {
    throw InputError(
        Complaint{{},
                  "there is no format '" + options.format + "'; see 'tuner list exporters'",
                  did_you_mean(options.format, known)});
  }
  std::shared_ptr<Exporter> exporter = catalogue.make_exporter(options.format);
  return [exporter](const Study& study, const std::vector<RankedResults>& results) {
    return exporter->write(study, results);
  };
}

}  // namespace tuner
