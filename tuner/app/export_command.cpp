#include <fmt/format.h>

#include <iostream>

#include "tuner/app/artifacts.h"
#include "tuner/app/commands.h"
#include "tuner/app/exporters.h"
#include "tuner/app/stored_results.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

// Results of the study as it is now; what an edit has made stale stays out, with a word about it.
std::vector<RankedResults> current_results(const ExportOptions& options, const Study& study) {
  const std::filesystem::path directory = options.results;
  if (!std::filesystem::exists(directory / "tuner.sqlite")) {
    throw InputError(Complaint{{},
                               "there are no results in '" + options.results +
                                   "': run 'tuner run " + options.study + "' first",
                               ""});
  }
  Store store = Store::open(directory, Store::Access::kRead);
  std::vector<RankedResults> current;
  for (StoredResults& results :
       newest_of_each(stored_results(store, &study, {options.device, options.size, {}}))) {
    if (results.stale.empty()) {
      current.push_back(std::move(results.ranked));
      continue;
    }
    std::cerr << fmt::format("left out, measured before a change ({}): {} on {}\n",
                             results.stale.front(), results.ranked.size.label(),
                             results.ranked.device.name);
  }
  return current;
}

}  // namespace

int export_command(const ExportOptions& options) {
  const Study study = read_study(options.study);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const auto exporter = find_exporter(options, catalogue);
  const std::vector<RankedResults> results = current_results(options, study);
  bool any = false;
  for (const RankedResults& r : results) any = any || r.ranked > 0;
  if (!any) {
    std::cerr << "nothing to export: no valid result of '" << study.kernel.name << "' fits\n";
    return kExitNothingValid;
  }
  const std::string text = exporter(study, results);
  if (options.output == "-") {
    std::cout << text;
  } else {
    write_file_atomically(options.output, text);
  }
  return kExitDone;
}

}  // namespace tuner
